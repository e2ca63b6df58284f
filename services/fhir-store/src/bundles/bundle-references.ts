import { isResourceType } from '@tributary/fhir-definitions';
import { type JsonValue, type Resource, isJsonObject } from '@tributary/fhir-json';
import type { ReadRequest } from '../fhir-http/fhir-request';
import { FhirError } from '../fhir-http/fhir-error';
import { limits, tooCostly } from '../fhir-http/limits';
import { criteriaIn, onlyMatch } from '../interactions/conditional/matches';
import type { PlannedEntry } from './plan-write';

/**
 * Elements whose URN is not replaced, because their type is not uri. Identifier.value can be equal to the fullUrl of an
 * entry.
 */
const notReplaced: ReadonlySet<string> = new Set(['value', 'valueString', 'valueCanonical']);
const narrativeLink = /(\s(?:href|src)\s*=\s*)(["'])(.*?)\2/g;

/** Replaces references between the resources of a transaction (https://hl7.org/fhir/R4/http.html#trules). */
export class BundleReferences {
  readonly #targets = new Map<string, string>();

  constructor(plans: readonly PlannedEntry[]) {
    for (const plan of plans) {
      if (plan.effect === 'delete') continue;
      const target = `${plan.type}/${plan.id}`;
      const { fullUrl, resource } = plan.entry;
      if (fullUrl !== undefined) this.#targets.set(fullUrl, target);
      const ownId = isJsonObject(resource) ? resource['id'] : undefined;
      // With an absolute fullUrl, other entries can also refer to the resource as Type/id.
      if (typeof ownId === 'string' && fullUrl?.endsWith(`/${plan.type}/${ownId}`))
        this.#targets.set(`${plan.type}/${ownId}`, target);
    }
  }

  /**
   * Resolves the conditional references of these resources (`Patient?identifier=x`).
   * @throws FhirError 412 unless each matches exactly one resource
   */
  async findConditional(request: ReadRequest, resources: readonly Resource[]): Promise<void> {
    const wanted = conditionalReferencesIn(resources);
    if (wanted.size > limits.conditionalReferences)
      throw tooCostly(`a transaction may have ${limits.conditionalReferences} conditional references`);
    for (const reference of wanted) {
      const type = reference.slice(0, reference.indexOf('?'));
      if (!isResourceType(request.release, type)) continue;
      const match = await onlyMatch(request, type, criteriaIn(reference));
      if (!match) throw new FhirError(412, 'a conditional reference matches no resource', 'not-found');
      this.#targets.set(reference, `${type}/${match.id}`);
    }
  }

  /** A copy of the value with its references resolved. */
  resolve<T extends JsonValue>(value: T, name?: string): T {
    if (typeof value === 'string') return this.#text(value, name) as T;
    if (Array.isArray(value)) return value.map((item) => this.resolve(item, name)) as T;
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, child]) => [
        member,
        child === undefined ? undefined : this.resolve(child, member),
      ]),
    ) as T;
  }

  /** Resolves a reference, a URN or the links of a narrative. The version of a versioned reference is kept. */
  #text(text: string, name: string | undefined): string {
    if (name === 'div')
      return text.replaceAll(
        narrativeLink,
        (_link, before: string, quote: string, target: string) =>
          `${before}${quote}${this.#targets.get(target) ?? target}${quote}`,
      );
    if (name !== 'reference')
      return text.startsWith('urn:') && !notReplaced.has(name ?? '') ? (this.#targets.get(text) ?? text) : text;
    const exact = this.#targets.get(text);
    if (exact !== undefined) return exact;
    const versioned = text.indexOf('/_history/');
    const target = versioned > 0 ? this.#targets.get(text.slice(0, versioned)) : undefined;
    return target === undefined ? text : target + text.slice(versioned);
  }
}

/** The distinct conditional references in these values. */
export function conditionalReferencesIn(values: readonly JsonValue[]): Set<string> {
  const found = new Set<string>();
  for (const value of values) collectConditional(value, found);
  return found;
}

const conditional = /^[A-Z][A-Za-z]+\?./;

function collectConditional(value: JsonValue, into: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectConditional(item, into);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'reference' && typeof member === 'string' && conditional.test(member)) into.add(member);
      else if (member !== undefined) collectConditional(member, into);
    }
  }
}

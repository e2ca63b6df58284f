import { elementModel, isResourceType, type Release } from '@tributary/fhir-definitions';
import { parseReference, type JsonObject } from '@tributary/fhir-json';
import type { Findings, PathStep } from './findings';

/** Checks that the type of a reference, if it has one, is allowed by its element. */
export type ReferenceCheck = (reference: JsonObject, findings: Findings) => void;

const HTTP = /^https?:\/\//;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

const REFERENCE: PathStep = { property: 'reference', elementName: 'reference', holdsResource: false };
const TYPE: PathStep = { property: 'type', elementName: 'type', holdsResource: false };

/**
 * The check of a Reference: https://hl7.org/fhir/R4/references.html.
 * @param targets the types that the element allows, or undefined for any type
 */
export function compileReferenceCheck(release: Release, targets: readonly string[] | undefined): ReferenceCheck {
  const allowed = targets && new Set(targets);
  const expected = targets ? `may refer only to ${targets.join(', ')}` : '';
  const hasTypeElement = elementModel(release).type('Reference')?.elements.has('type') ?? false;

  return (value, findings) => {
    const { reference, type } = value;
    if (typeof reference === 'string' && reference !== '') checkTarget(reference, findings);
    if (hasTypeElement && allowed && typeof type === 'string' && isResourceType(release, type) && !allowed.has(type))
      findings.faultAt(TYPE, 'value', `The element ${expected}.`);
  };

  function checkTarget(reference: string, findings: Findings): void {
    const type = reference.startsWith('#')
      ? containedType(reference.slice(1), findings)
      : restfulType(reference, findings);
    if (type !== undefined && allowed && !allowed.has(type))
      findings.faultAt(REFERENCE, 'value', `The element ${expected}.`);
  }

  /** "#" in a contained resource refers to its container. */
  function containedType(id: string, findings: Findings): string | undefined {
    if (id === '') return undefined;
    const type = findings.contained.get(id);
    if (type === undefined)
      findings.faultAt(REFERENCE, 'invariant', 'The reference names a contained resource that does not exist.');
    return type;
  }

  function restfulType(reference: string, findings: Findings): string | undefined {
    const absolute = ABSOLUTE.test(reference);
    const parsed = parseReference(reference);
    if (parsed && (parsed.base === '' || HTTP.test(parsed.base)) && isResourceType(release, parsed.type))
      return parsed.type;
    if (!absolute)
      findings.faultAt(
        REFERENCE,
        'value',
        'The reference must be Type/id with a resource type of this release, an absolute URL, or # and the id of a contained resource.',
      );
    return undefined;
  }
}

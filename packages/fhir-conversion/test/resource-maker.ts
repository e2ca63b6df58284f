import {
  elementModel,
  resourceTypes,
  type ElementModel,
  type ElementProperty,
  type ElementType,
} from '@tributary/fhir-definitions';
import { DecimalText, type JsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import type { SourceRelease } from '../src/index';

/** Generates resources with random elements and values from the element model of a release. */
export class ResourceMaker {
  private readonly model: ElementModel;
  private words = 0;

  constructor(
    release: SourceRelease,
    private readonly random: () => number,
    private readonly density: number,
  ) {
    this.model = elementModel(release);
  }

  resource(type: string, contained: readonly JsonObject[] = []): Resource {
    const made = this.object(type, 0, ['contained']);
    return { resourceType: type, ...made, ...(contained.length > 0 && { contained: [...contained] }) } as Resource;
  }

  containedResource(type: string, id: string): JsonObject {
    return { resourceType: type, ...this.object(type, 1, ['contained', 'meta']), id };
  }

  private object(typeName: string, depth: number, without: readonly string[] = []): JsonObject {
    const type = this.model.type(typeName);
    if (!type) throw new Error(`no type ${typeName}`);
    const made: JsonObject = {};
    for (const element of type.elements.values()) {
      if (without.includes(element.name) || element.max === 0) continue;
      const wanted =
        element.min > 0 ||
        this.random() < (element.name.toLowerCase().endsWith('extension') ? 0.05 : this.density / (depth + 1));
      if (!wanted) continue;
      const [property, use] = this.pick([...type.properties].filter(([, { element: other }]) => other === element));
      this.fill(made, property, use, depth);
    }
    if (typeName === 'Extension') return this.extension(made, depth);
    if (Object.keys(made).every((name) => name === 'id')) this.fillSomething(made, type, depth);
    return made;
  }

  /** Adds an element to an object without elements, since FHIR does not allow empty objects. */
  private fillSomething(made: JsonObject, { properties }: ElementType, depth: number): void {
    const candidates = [...properties].filter(
      ([name, { element, type }]) =>
        name !== 'id' &&
        !name.endsWith('xtension') &&
        element.max > 0 &&
        (depth < 5 || this.model.type(type.code)?.kind === 'primitive'),
    );
    if (candidates.length > 0) this.fill(made, ...this.pick(candidates), depth);
  }

  private extension({ id }: JsonObject, depth: number): JsonObject {
    const values = [...(this.model.type('Extension')?.properties ?? [])].filter(
      ([, { element }]) => element.name === 'value',
    );
    const made: JsonObject = { ...(id !== undefined && { id }), url: 'http://example.org/extension' };
    const [property, use] = this.pick(depth > 3 ? values.filter(([name]) => name === 'valueString') : values);
    this.fill(made, property, use, depth);
    return made;
  }

  private fill(made: JsonObject, property: string, use: ElementProperty, depth: number): void {
    const count = use.element.max > 1 ? Math.max(use.element.min, 1 + Math.floor(this.random() * 2)) : 1;
    const values = Array.from({ length: count }, () => this.value(use, depth));
    made[property] = use.element.max > 1 ? values : (values[0] ?? null);
    const primitive = this.model.type(use.type.code)?.kind === 'primitive';
    if (!primitive || ['id', 'url', 'div'].includes(use.element.name) || this.random() > 0.1) return;
    const beside = values.map(() => ({ extension: [{ url: 'http://example.org/beside', valueString: this.word() }] }));
    made[`_${property}`] = use.element.max > 1 ? beside : (beside[0] ?? null);
  }

  private value({ element, type }: ElementProperty, depth: number): JsonValue {
    if (element.binding) {
      const code = this.pick([...element.binding.codes]);
      if (type.code === 'code') return code;
    }
    if (type.code === 'Reference') return this.reference(type.targets);
    return this.model.type(type.code)?.kind === 'primitive'
      ? this.primitive(type.code)
      : this.object(type.profile === undefined ? type.code : type.profile, depth + 1);
  }

  private reference(targets: readonly string[] = resourceTypes(this.model.release)): JsonObject {
    const type = this.pick(targets);
    const reference = this.random() < 0.2 ? `https://example.org/fhir/${type}/x` : `${type}/${this.word()}`;
    return { reference, ...(this.random() < 0.3 && { display: this.word() }) };
  }

  private primitive(type: string): JsonValue {
    switch (type) {
      case 'boolean':
        return this.random() < 0.5;
      case 'integer':
        return Math.floor(this.random() * 5);
      case 'unsignedInt':
        return Math.floor(this.random() * 5);
      case 'positiveInt':
        return 1 + Math.floor(this.random() * 5);
      case 'decimal':
        return this.random() < 0.5 ? 1.5 : new DecimalText('1.50');
      case 'SampledDataDataType':
        return 'E U L 1';
      case 'uri':
        return this.pick(['http://example.org/x', 'http://hl7.org/fhir/v2/0203', 'http://example.org/with space']);
      case 'oid':
        return 'urn:oid:1.2.3';
      case 'uuid':
        return 'urn:uuid:00000000-0000-4000-8000-000000000000';
      case 'date':
        return this.pick(['2020', '2020-02', '2020-02-29', '-0044-03-15', '0000']);
      case 'dateTime':
        return this.pick(['2020', '2020-02', '2020-02-29', '2020-02-29T10:00:00+01:00', '-0044-03-15']);
      case 'instant':
        return this.pick(['2020-02-29T10:00:00Z', '-0044-03-15T10:00:00Z']);
      case 'time':
        return '10:00:00';
      case 'base64Binary':
        return 'QUJD';
      case 'xhtml':
        return '<div xmlns="http://www.w3.org/1999/xhtml">x</div>';
      default:
        return this.word();
    }
  }

  /** A unique word, so that a test finds any value that is lost. */
  private word(): string {
    return `word${this.words++}`;
  }

  private pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }
}

/** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive) that are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

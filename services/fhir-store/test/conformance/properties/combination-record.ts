import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import { type RecordOverHttp, baseUrl } from '../../record-over-http';

/** A stored or contained resource, as plain JSON. */
export type Json = JsonObject & { resourceType: string; id: string };

/**
 * A small random record in which Observations are linked in every way that a search follows: to and from stored
 * resources, by relative and absolute references, and to, from and within contained resources.
 */
export class CombinationRecord {
  readonly all: Json[] = [];

  private constructor(
    readonly user: RecordOverHttp,
    readonly release: Release,
    /** From 0 up to 1. */
    private readonly random: () => number,
  ) {}

  static async create(user: RecordOverHttp, release: Release, random: () => number): Promise<CombinationRecord> {
    const record = new CombinationRecord(user, release, random);
    await record.#fill();
    return record;
  }

  ofType(type: string): Json[] {
    return this.all.filter(({ resourceType }) => resourceType === type);
  }

  /** The address of the n-th resource of a type, such as `Patient/x`. */
  reference(type: string, n: number): string {
    return `${type}/${this.ofType(type)[n]?.id}`;
  }

  /** The targets of references: stored ones, or those contained in `container`, by default in the resource itself. */
  targets(value: JsonValue | undefined, container: Json): Json[] {
    return [value ?? []].flat().flatMap((each) => {
      const text = String((each as JsonObject)['reference']).replace(`${baseUrl}/${this.release}/`, '');
      if (text.startsWith('#')) return contained(container).filter(({ id }) => id === text.slice(1));
      return this.all.filter(({ resourceType, id }) => text === `${resourceType}/${id}`);
    });
  }

  async #fill(): Promise<void> {
    const { release } = this;
    const below = (limit: number): number => Math.floor(this.random() * limit);
    const some = <T>(...of: T[]): T => of[below(of.length)] as T;
    const maybe = (members: () => JsonObject): JsonObject => (below(4) > 0 ? members() : {});
    const anyOf = (type: string): JsonObject => {
      const reference = this.reference(type, below(this.ofType(type).length));
      return { reference: some(reference, `${baseUrl}/${release}/${reference}`) };
    };
    const patient = (organization: () => JsonObject): JsonObject => ({
      resourceType: 'Patient',
      name: [{ family: release === 'dstu2' ? [some('Ann', 'Bob')] : some('Ann', 'Bob') }],
      ...maybe(() => ({ gender: some('female', 'male') })),
      ...maybe(() => ({ managingOrganization: organization() })),
    });
    const observation = (subject: () => JsonObject): JsonObject => ({
      resourceType: 'Observation',
      status: some('final', 'preliminary'),
      code: { coding: [{ system: 'http://codes', code: some('x', 'y') }] },
      ...maybe(() => ({ subject: subject() })),
      ...maybe(() => ({ effectiveDateTime: some('2010-05-01', '2014-12-31', '2015-01-01', '2020-02-29') })),
      ...maybe(() => ({ valueQuantity: { value: some(1, 3, 7, 9) } })),
      ...maybe(() => ({ performer: [anyOf('Organization')] })),
    });
    const containedPeople = (): JsonObject[] => [
      { ...patient(() => some({ reference: '#o' }, anyOf('Organization'))), id: 'p' },
      { resourceType: 'Organization', id: 'o', name: some('Alpha', 'Beta'), partOf: anyOf('Organization') },
    ];
    for (let n = 0; n < 4; n++)
      await this.#store({
        resourceType: 'Organization',
        name: some('Alpha', 'Beta'),
        ...(n > 0 ? { partOf: anyOf('Organization') } : {}),
      });
    for (let n = 0; n < 5; n++) await this.#store(patient(() => anyOf('Organization')));
    for (let n = 0; n < 4; n++) await this.#store(this.#encounter(some('finished', 'planned'), anyOf('Patient')));
    for (let n = 0; n < 14; n++) {
      const isContaining = n % 3 === 0;
      await this.#store({
        ...observation(() => (isContaining ? { reference: '#p' } : anyOf('Patient'))),
        ...(isContaining ? { contained: containedPeople() } : {}),
        ...maybe(() => ({ meta: { tag: [{ system: 'http://tags', code: some('t', 'u') }] } })),
      });
    }
    for (let n = 0; n < 6; n++) {
      const inner = { ...observation(() => some({ reference: '#p' }, anyOf('Patient'))), id: 'ob' };
      const result = some<JsonObject[]>(
        [anyOf('Observation')],
        [{ reference: '#ob' }, anyOf('Observation')],
        [{ reference: '#ob' }],
      );
      await this.#store(
        this.#report(some('final', 'partial'), anyOf('Patient'), anyOf('Organization'), result, [
          inner,
          ...containedPeople(),
        ]),
      );
    }
    const members = this.ofType('Observation').filter(() => below(2) === 0);
    await this.#store({
      resourceType: 'List',
      status: 'current',
      mode: 'snapshot',
      ...(members.length > 0 ? { entry: members.map(({ id }) => ({ item: { reference: `Observation/${id}` } })) } : {}),
    });
  }

  #encounter(status: string, of: JsonObject): JsonObject {
    const common = { resourceType: 'Encounter', status };
    if (this.release === 'dstu2') return { ...common, patient: of };
    return { ...common, class: { code: 'AMB' }, subject: of };
  }

  #report(
    status: string,
    subject: JsonObject,
    performer: JsonObject,
    result: JsonObject[],
    within: JsonObject[],
  ): JsonObject {
    return {
      resourceType: 'DiagnosticReport',
      status,
      subject,
      result,
      contained: within,
      code: { text: 'report' },
      effectiveDateTime: '2016-03-04',
      issued: '2016-03-05T10:00:00Z',
      ...(this.release === 'dstu2' ? { performer } : {}),
    };
  }

  async #store(resource: JsonObject): Promise<void> {
    this.all.push((await this.user.create(this.release, resource)) as Json);
  }
}

/** The contained resources of a resource. */
export function contained(resource: Json): Json[] {
  return (resource['contained'] ?? []) as Json[];
}

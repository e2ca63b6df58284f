import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import { type CombinationRecord, type Json, contained } from './combination-record';

/** A criterion of a search on Observations, with its naive evaluation on JSON. */
export interface CriterionFeature {
  readonly query: string;
  /** @param container the resource that contains the Observation, or the Observation itself */
  holds(observation: Json, container: Json): boolean;
}

/** The criteria that a search on Observations can have, for one record. */
export function criterionFeatures(record: CombinationRecord): CriterionFeature[] {
  const subject = (holds: (patient: Json, container: Json) => boolean): CriterionFeature['holds'] => {
    return (observation, container) =>
      record
        .targets(observation['subject'], container)
        .some((patient) => holds(patient, containerOf(patient, container)));
  };
  const organization = (patient: Json, container: Json): Json[] =>
    record.targets(patient['managingOrganization'], container);
  const parents = (organizations: Json[]): Json[] =>
    organizations.flatMap((each) => record.targets(each['partOf'], each));
  const named =
    (name: string) =>
    (organization: Json): boolean =>
      organization['name'] === name;
  const reported = (holds: (report: Json) => boolean): CriterionFeature['holds'] => {
    return (observation) =>
      record
        .ofType('DiagnosticReport')
        .some((report) => holds(report) && record.targets(report['result'], report).includes(observation));
  };
  const [firstPatient, root] = [record.reference('Patient', 0), record.reference('Organization', 0)];
  const listed = record
    .ofType('List')
    .flatMap((list) => ((list['entry'] ?? []) as JsonObject[]).flatMap(({ item }) => record.targets(item, list)));
  const ids = record
    .ofType('Observation')
    .slice(0, 5)
    .map(({ id }) => id);
  return [
    { query: 'code=http://codes|x', holds: (each) => codeOf(each) === 'x' },
    { query: 'code:not=http://codes|x', holds: (each) => codeOf(each) !== 'x' },
    { query: 'status=final', holds: (each) => each['status'] === 'final' },
    { query: 'date=ge2015', holds: (each) => dateOf(each) >= '2015' },
    {
      query: 'date=lt2015,ge2020',
      holds: (each) => dateOf(each) !== '' && (dateOf(each) < '2015' || dateOf(each) >= '2020'),
    },
    { query: 'date:missing=true', holds: (each) => dateOf(each) === '' },
    { query: 'value-quantity=gt5', holds: (each) => quantityOf(each) > 5 },
    { query: 'code-value-quantity=http://codes|x$gt5', holds: (each) => codeOf(each) === 'x' && quantityOf(each) > 5 },
    {
      query: `subject=${firstPatient}`,
      holds: (each, container) =>
        record.targets(each['subject'], container).some((patient) => `Patient/${patient.id}` === firstPatient),
    },
    { query: 'subject:missing=true', holds: (each) => each['subject'] === undefined },
    { query: 'subject:Patient.gender=female', holds: subject((patient) => patient['gender'] === 'female') },
    { query: 'subject:Patient.gender:missing=true', holds: subject((patient) => patient['gender'] === undefined) },
    {
      query: 'subject:Patient.organization.name=alpha',
      holds: subject((patient, container) => organization(patient, container).some(named('Alpha'))),
    },
    {
      query: 'subject:Patient.organization.partof.name=beta',
      holds: subject((patient, container) => parents(organization(patient, container)).some(named('Beta'))),
    },
    {
      query: 'subject:Patient._has:Encounter:patient:status=finished',
      holds: subject((patient) =>
        record
          .ofType('Encounter')
          .some(
            (encounter) =>
              encounter['status'] === 'finished' &&
              record.targets(encounter['subject'] ?? encounter['patient'], encounter).includes(patient),
          ),
      ),
    },
    { query: '_has:DiagnosticReport:result:status=final', holds: reported((report) => report['status'] === 'final') },
    {
      query: '_has:DiagnosticReport:result:subject:Patient.gender=female',
      holds: reported((report) =>
        record.targets(report['subject'], report).some((patient) => patient['gender'] === 'female'),
      ),
    },
    {
      query: `performer:below=${root}`,
      holds: (each, container) =>
        record.targets(each['performer'], container).some((organization) => isBelow(record, organization, root)),
    },
    { query: `_list=${record.ofType('List')[0]?.id}`, holds: (each) => listed.includes(each) },
    { query: `_id=${ids.join(',')}`, holds: ({ id }) => ids.includes(id) },
    { query: '_tag=http://tags|t', holds: (each) => tagsOf(each).includes('t') },
    { query: '_lastUpdated=gt2000', holds: (each) => !isContained(record, each) },
    {
      query: `_filter=${encodeURIComponent('status eq final or value-quantity gt 5')}`,
      holds: (each) => each['status'] === 'final' || quantityOf(each) > 5,
    },
  ];
}

/** What a search shows and how, without a change of the matches unless `contained` says so. */
export interface ResultFeature {
  readonly query: string;
  readonly contained?: 'true' | 'both';
  readonly containedType?: 'contained';
  readonly countOnly?: true;
  /** No total, or none that this test knows. */
  readonly hasNoTotal?: true;
  /** 1 or −1 times the date, in order. */
  readonly order?: 1 | -1;
  readonly pageSize?: number;
  /** What is included for a match. */
  included?(match: Json, record: CombinationRecord): Json[];
}

export const resultFeatures: readonly ResultFeature[] = [
  { query: '_sort=date', order: 1 },
  { query: '_sort=-date', order: -1 },
  { query: '_count=2', pageSize: 2 },
  { query: '_total=none', hasNoTotal: true },
  { query: '_summary=count', countOnly: true },
  { query: '_summary=true' },
  { query: '_elements=code' },
  { query: '_include=Observation:subject', included: (match, record) => record.targets(match['subject'], match) },
  { query: '_include=Observation:performer', included: (match, record) => record.targets(match['performer'], match) },
  {
    query: '_revinclude=DiagnosticReport:result',
    included: (match, record) =>
      record.ofType('DiagnosticReport').filter((report) => record.targets(report['result'], report).includes(match)),
  },
  { query: '_contained=true', contained: 'true' },
  { query: '_contained=both', contained: 'both' },
  { query: '_contained=true&_containedType=contained', contained: 'true', containedType: 'contained' },
  { query: '_contained=both&_containedType=contained', contained: 'both', containedType: 'contained' },
];

/** A target that the container contains has its siblings as targets; a stored one has what it contains itself. */
function containerOf(target: Json, container: Json): Json {
  return contained(container).includes(target) ? container : target;
}

function isContained(record: CombinationRecord, resource: Json): boolean {
  return !record.all.includes(resource);
}

function isBelow(record: CombinationRecord, organization: Json, root: string): boolean {
  return (
    `Organization/${organization.id}` === root ||
    record.targets(organization['partOf'], organization).some((parent) => isBelow(record, parent, root))
  );
}

function codeOf(observation: Json): JsonValue | undefined {
  return ((observation['code'] as JsonObject)['coding'] as JsonObject[])[0]?.['code'];
}

function dateOf(observation: Json): string {
  return String(observation['effectiveDateTime'] ?? '');
}

function quantityOf(observation: Json): number {
  return Number((observation['valueQuantity'] as JsonObject | undefined)?.['value'] ?? 0);
}

function tagsOf(observation: Json): unknown[] {
  return (((observation['meta'] as JsonObject | undefined)?.['tag'] ?? []) as JsonObject[]).map(({ code }) => code);
}

import { type FhirVersion, fhirVersion } from '@tributary/contracts';
import { type JsonObject, stringifyJson } from '@tributary/fhir-json';
import { z } from 'zod';
import { reduceResource } from '../fhir/reduce';
import { narrowToPerson } from '../record/people';
import { fitting, readCursor, writeCursor } from '../record/paging';
import { referenceOf } from '../record/read-all';
import type { Form, RecordApi, SearchPage } from '../record/record-api';
import { ToolError } from '../record/tool-error';
import { cursor, defineTool, maxPageQuery, limitOf, nextCursor, notes, patient, withNotes } from './tool';

export const form = z
  .enum(['r4', 'native'])
  .default('r4')
  .describe('r4: converted to R4 whatever the release. native: as the health system sent it.');

/** An entry above this size is shown as its reference only. */
const maxEntryCharacters = 12_000;

const name = 'search_fhir';
/**
 * Where a search continues: the query of a page, which is absent on the first, and how many of its entries were shown.
 * A page token has up to 16,000 characters.
 */
const cursorState = z.object({
  page: z.string().max(maxPageQuery).optional(),
  skip: z.int().min(0).max(1000),
});

/** Types without a search parameter for the patient: they belong to several people, or to none. */
const isShared: ReadonlySet<string> = new Set(
  'Binary,Endpoint,HealthcareService,Location,Medication,Organization,Practitioner,PractitionerRole,Questionnaire,Substance'.split(
    ',',
  ),
);

/** Parameters that the tool sets itself. */
const own = new Set(['_count', '_format', '_page', '_pretty', '_summary', '_contained', '_containedType']);

export const searchFhir = defineTool({
  name,
  title: 'FHIR search',
  description:
    'Searches one resource type of one FHIR release with FHIR search parameters, for what the other tools do not list (such as CarePlan, Goal, Coverage, DiagnosticReport, Practitioner, or a certain code). Returns resources as JSON, without narratives and encoded content. One record can exist in several releases: see list_connections for those that the record has.',
  input: z.strictObject({
    release: fhirVersion.default('r4'),
    type: z
      .string()
      .regex(/^[A-Z][A-Za-z]{1,63}$/, 'must be a FHIR resource type such as Observation')
      .describe('The resource type in that release; MedicationOrder in dstu2.'),
    patient,
    query: z
      .string()
      .max(2000)
      .default('')
      .describe('FHIR search parameters, such as `code=http://loinc.org|4548-4&date=ge2024-01-01&_sort=-date`.'),
    form,
    limit: limitOf(10, 50),
    cursor,
  }),
  output: z.object({
    total: z.int().optional().describe('How many resources match, where it is known.'),
    entries: z.array(
      z.object({
        reference: z.string(),
        included: z.boolean().describe('true: it does not match, but was included by _include or _revinclude.'),
        resource: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('Absent when it is too long: read it with read_fhir_resource.'),
      }),
    ),
    next_cursor: nextCursor,
    notes,
  }),
  async run({ release, type, patient: named, query, form: as, limit, cursor: from }, api) {
    const { page, skip }: z.output<typeof cursorState> =
      from === undefined ? { skip: 0 } : readCursor(name, from, cursorState);
    const first = firstPage(query, limit);
    const asksForPerson = page === undefined && (named !== undefined || needsPerson(type, first));
    const person = asksForPerson ? await narrowToPerson(api, named) : [];
    if (person.length > 0 && type === 'Binary')
      throw new ToolError('A Binary names no person. Use list_documents and read_document with patient instead.');
    const whose =
      person.length > 0 && isShared.has(type)
        ? [`${type} belongs to no single person: this answer is about the whole record.`]
        : person;
    const isNarrowed = asksForPerson && !isShared.has(type);
    const narrowed = page ?? (isNarrowed ? api.narrowed(release, type, first.toString()) : first.toString());
    const { found, notes: said } =
      narrowed === undefined ? nothingFound : await searchAs(api, release, type, narrowed, as);
    const noted = [...whose, ...said];
    const all = [
      ...found.matches.map((resource) => entryOf(resource, false)),
      ...found.included.map((resource) => entryOf(resource, true)),
    ];
    const shown = fitting(all.slice(skip));
    const end = skip + shown.length;
    const next =
      end < all.length
        ? writeCursor(name, { page, skip: end })
        : found.next === undefined
          ? undefined
          : writeCursor(name, { page: found.next, skip: 0 });
    const total = found.total === undefined ? '' : ` of ${found.total}`;
    const heading =
      all.length === 0
        ? `No ${type} of ${release} matches.`
        : `${shown.length} resources${total} of ${release}/${type}:`;
    return {
      text: withNotes([heading, ...shown.map(({ text }) => text)], noted, next),
      data: { total: found.total, entries: shown.map(({ data }) => data), next_cursor: next, notes: noted },
    };

    function entryOf(resource: JsonObject, included: boolean) {
      const reference = referenceOf(release, resource);
      const reduced = reduceResource(resource);
      const json = stringifyJson(reduced);
      const isShort = json.length <= maxEntryCharacters;
      return {
        data: { reference, included, ...(isShort ? { resource: reduced } : {}) },
        text: `- ${reference}${included ? ' (included)' : ''}: ${isShort ? json : `${json.length} characters; read it with read_fhir_resource.`}`,
      };
    }
  },
});

/** A page in the wanted form, or in its native form where none of it can be converted. */
async function searchAs(
  api: RecordApi,
  release: FhirVersion,
  type: string,
  page: string,
  as: Form,
): Promise<{ found: SearchPage; notes: string[] }> {
  const found = await api.search(release, type, page, as);
  if (as === 'native' || release === 'r4' || found.reported.length === 0) return { found, notes: found.reported };
  if (found.matches.length > 0)
    return {
      found,
      notes: [...found.reported, 'What cannot be converted to R4 is missing here: call again with form "native".'],
    };
  const native = await api.search(release, type, page, 'native');
  const notes = [...native.reported, `${type} cannot be converted to R4: these are the native forms of ${release}.`];
  return { found: native, notes: native.matches.length === 0 ? native.reported : notes };
}

const nothingFound = {
  found: { matches: [], included: [], total: 0, next: undefined, reported: [] } satisfies SearchPage,
  notes: [],
};

/**
 * Whether a search has to be narrowed to one person although the call names none. A search of Patient lists the people;
 * the content of documents is asked for, although it names no person.
 */
function needsPerson(type: string, parameters: URLSearchParams): boolean {
  return type === 'Binary' || (type !== 'Patient' && !isShared.has(type) && !namesOne(parameters));
}

/** Whether a search names the Patient, or single resources, itself. */
function namesOne(parameters: URLSearchParams): boolean {
  return [...parameters.keys()].some((name) => /^(?:patient|subject|_id)(?:[:.]|$)/.test(name));
}

function firstPage(query: string, limit: number): URLSearchParams {
  const parameters = new URLSearchParams(query.replace(/^\?/, ''));
  const refused = [...parameters.keys()].filter((name) => own.has(name));
  if (refused.length > 0)
    throw new ToolError(`Leave ${refused.join(', ')} out of query: use limit, cursor and form instead.`);
  parameters.set('_count', String(limit));
  return parameters;
}

import { type EventPosition, clientKey, positionOfEvent } from '@tributary/audit-log';
import { serviceUserIdText } from '@tributary/contracts';
import { type UserOrClient, badRequest } from '@tributary/service-kit';
import { z } from 'zod';
import type { FoundEvent } from '../blocks/audit-blocks';
import { type OwnSystems, outcomeCodes, subtypeOfKind, systems, typeOfKind } from '../fhir/vocabulary';
import { dateRanges, isWithin } from './date-ranges';

type Test = (found: FoundEvent) => boolean;

const maxValues = 50;

/** The values of a parameter: an event must match one value of each repetition. */
const values = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().map((text) => text.split(',')))
  .optional()
  .meta({ documented: { type: 'array', items: { type: 'string' } } });

const maxCount = 1000;
const defaultCount = '100';

/** The parameters of a search (https://hl7.org/fhir/R4/auditevent.html#search). */
export const searchParameters = z.object({
  _id: values.describe('The id of an event.'),
  date: values.describe(
    'When the event was recorded: a date or time, with a prefix such as `ge` or `lt`. A repetition narrows the search.',
  ),
  patient: values.describe('The service_user_id of the user whose record the event is about.'),
  agent: values.describe(
    'Who took part: a client_id, a service_user_id, a developer or the name of a service; or `<system>|<value>` of the identifier.',
  ),
  action: values.describe('`C`, `R`, `U`, `D` or `E`: create, read, update, delete, execute.'),
  type: values.describe('The type of the event: `<code>` or `<system>|<code>`.'),
  subtype: values.describe(
    'The subtype: an interaction of FHIR such as `read`, or a kind of event such as `download`.',
  ),
  outcome: values.describe('`0` success, `4` refused or aborted, `8` failed.'),
  entity: values.describe('A resource: `<Type>/<id>` or `<release>/<Type>/<id>`.'),
  _count: z
    .string()
    .regex(/^\d{1,9}$/, `must be an integer from 0 to ${maxCount}`)
    .default(defaultCount)
    .transform((text) => Math.min(Number(text), maxCount))
    .describe(`The number of events of a page, at most ${maxCount}.`)
    .meta({ documented: { type: 'integer', minimum: 0, maximum: maxCount, default: Number(defaultCount) } }),
  _sort: z.enum(['date', '-date']).default('-date').describe('By the time of recording; the newest first by default.'),
  _format: z
    .enum(['json', 'application/json', 'application/fhir+json'])
    .optional()
    .describe('JSON is the only format.'),
});
export type SearchParameters = z.output<typeof searchParameters>;

/** What a search looks for. */
export interface AuditQuery {
  /** The keys that the blocks of all matching events have. */
  keys: readonly bigint[];
  /** Epoch milliseconds. */
  from: number;
  /** Epoch milliseconds, exclusive. */
  before: number;
  isDescending: boolean;
  count: number;
  matches: Test;
}

/** Whether a caller may see an event: a user those of the own record, a client those in which it took part. */
export function isVisibleTo(
  { clientId, serviceUserId }: UserOrClient,
  { event: { agent, subject } }: FoundEvent,
): boolean {
  if (serviceUserId === undefined) return agent.clientId === clientId;
  return subject === serviceUserId || agent.serviceUserId === serviceUserId;
}

/**
 * @param now epoch milliseconds, for the prefix `ap`
 * @throws HttpError 400
 */
export function auditQuery(
  parameters: SearchParameters,
  caller: UserOrClient,
  own: OwnSystems,
  now = Date.now(),
): AuditQuery {
  checkValues(parameters);
  const tests: Test[] = [(found) => isVisibleTo(caller, found)];
  const addTests = (repetitions: readonly string[][] | undefined, testOf: (text: string) => Test): void => {
    for (const texts of repetitions ?? []) {
      const alternatives = texts.map(testOf);
      tests.push((found) => alternatives.some((test) => test(found)));
    }
  };
  const dates = (parameters.date ?? []).map((texts) => texts.flatMap((text) => rangesOf(text, now)));
  for (const ranges of dates) tests.push(({ recordedAt }) => isWithin(recordedAt, ranges));
  const patients = (parameters.patient ?? []).map((texts) => texts.map((text) => patientOf(text, own)));
  for (const ids of patients) tests.push(({ event: { subject } }) => subject !== undefined && ids.includes(subject));
  addTests(parameters._id, eventTest);
  addTests(parameters.agent, (text) => agentTest(text, own));
  addTests(parameters.action, actionTest);
  addTests(parameters.type, (text) => codingTest(text, ({ event }) => typeOfKind(event.kind)));
  addTests(parameters.subtype, (text) => codingTest(text, ({ event }) => subtypeOfKind(event.kind, own)));
  addTests(parameters.outcome, (text) =>
    codingTest(text, ({ event }) => ({ system: systems.outcome, code: outcomeCodes[event.outcome] })),
  );
  addTests(parameters.entity, entityTest);
  return {
    keys: [
      caller.serviceUserId === undefined ? clientKey(caller.clientId) : BigInt(caller.serviceUserId),
      ...patients.flatMap((ids) => (ids.length === 1 ? ids.map(BigInt) : [])),
    ],
    from: Math.max(-Infinity, ...dates.map((ranges) => Math.min(...ranges.map(({ from }) => from)))),
    before: Math.min(Infinity, ...dates.map((ranges) => Math.max(...ranges.map(({ before }) => before)))),
    isDescending: parameters._sort === '-date',
    count: parameters._count,
    matches: (found) => tests.every((test) => test(found)),
  };
}

function checkValues(parameters: SearchParameters): void {
  for (const [name, repetitions] of Object.entries(parameters)) {
    if (!Array.isArray(repetitions)) continue;
    const texts = repetitions.flat();
    if (texts.includes('')) throw badRequest(`${name} has an empty value`);
    if (texts.length > maxValues) throw badRequest(`${name} has more than ${maxValues} values`);
  }
}

function rangesOf(text: string, now: number): ReturnType<typeof dateRanges> & object {
  const ranges = dateRanges(text, now);
  if (!ranges) throw badRequest('date takes a date such as 2026, 2026-11, ge2026-11-22 or lt2026-11-22T10:00:00Z');
  return ranges;
}

function patientOf(text: string, own: OwnSystems): number {
  const parsed = serviceUserIdText.safeParse(text.replace(`${own.user}|`, '').replace(/^Patient\//, ''));
  if (!parsed.success) throw badRequest('patient takes a service_user_id');
  return parsed.data;
}

function eventTest(text: string): Test {
  if (!/^[A-Za-z0-9.-]{1,64}$/.test(text)) throw badRequest('_id takes the id of an event');
  return ({ id }) => id === text;
}

/** The positions of the events that a search by `_id` names; undefined when it names none. */
export function namedEvents({ _id: repetitions }: SearchParameters): EventPosition[] | undefined {
  return repetitions?.[0]?.map(positionOfEvent).filter((position) => position !== undefined);
}

function agentTest(text: string, own: OwnSystems): Test {
  const [system, value = ''] = text.includes('|') ? text.split('|', 2) : [undefined, text];
  return ({ event: { agent }, service }) => {
    const identifiers: [string, string | undefined][] = [
      [own.client, agent.clientId],
      [own.user, agent.serviceUserId === undefined ? undefined : String(agent.serviceUserId)],
      [own.developer, agent.developer],
      [own.service, agent.service],
      [own.service, service],
      [own.operator, agent.operator],
    ];
    return identifiers.some(([of, id]) => id === value && (system === undefined || system === of));
  };
}

function actionTest(text: string): Test {
  const letter = text.replace(`${systems.action}|`, '');
  if (!/^[CRUDE]$/.test(letter)) throw badRequest('action takes C, R, U, D or E');
  return ({ event: { action } }) => action === letter;
}

/** `<code>`, `<system>|<code>`, `|<code>` or `<system>|` (https://hl7.org/fhir/R4/search.html#token). */
function codingTest(text: string, codingOf: (found: FoundEvent) => { system: string; code: string }): Test {
  const [system, code] = text.includes('|') ? text.split('|', 2) : [undefined, text];
  return (found) => {
    const coding = codingOf(found);
    return (system === undefined || coding.system === system) && (code === '' || coding.code === code);
  };
}

function entityTest(text: string): Test {
  const [, release, type, id] = /^(?:(dstu2|stu3|r4)\/)?([A-Z][A-Za-z]*)\/([A-Za-z0-9.-]{1,64})$/.exec(text) ?? [];
  if (type === undefined) throw badRequest('entity takes <Type>/<id> or <release>/<Type>/<id>');
  return ({ event }) =>
    (event.entities ?? []).some(
      (entity) => entity.type === type && entity.id === id && (release === undefined || entity.release === release),
    );
}

import { type Resource, parseJson } from '@tributary/fhir-json';
import type { TypeProgress } from '@tributary/contracts';
import axios from 'axios';
import { type Seen } from '../../test/sandbox';
import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';
import { expectations as allExpectations } from '../../test/scenario-expectations';
import type { Expectation } from '../../test/scenarios/expectation';

jest.setTimeout(900_000);

/** Scenarios of connecting, which user-management deals with before anything is collected. */
const connecting = [
  'metadata-only',
  'well-known-only',
  'issuer-slash',
  'oauth-other-origin',
  'trailing-slash',
  'endpoint-parameters',
  'announces-basic-wants-post',
  'announces-post-wants-basic',
  'omits-auth-methods',
  'basic-undecoded',
  'basic-and-client-id',
  'assertion-and-client-id',
  'post-only',
  'basic-401-invalid-request',
  'unauthorized-client-basic',
  'token-500-once',
  'token-html',
  'bearer-lowercase',
  'expires-in-text',
  'expires-in-absent',
  'patient-url',
  'patient-reference',
  'patient-versioned',
  'patient-several',
  'fhir-user-versioned',
  'local-patient-id',
  'scopes-v2-silent',
  'scopes-v2-capability',
  'scopes-v2-cruds',
  'scopes-exact-match',
  'scopes-registered-only',
  'denied-with-error-uri',
  'client-unauthorized',
  'authorization-unavailable',
  'authorization-html',
  'code-expired',
  'token-unavailable',
  'patient-absent',
  'user-practitioner',
  'user-related-person',
  'refresh-throttled',
  'token-endpoint-private-host',
];

/** TRIBUTARY_SCENARIOS limits the scenarios to those whose names match this regular expression. */
const wanted = new RegExp(process.env['TRIBUTARY_SCENARIOS'] ?? '');
/** npm test plays every eighth, npm run test:full all. */
const step = process.env['TEST_SMOKE'] === undefined ? 1 : 8;
const expectations = allExpectations.filter(
  ({ scenario }, index) => wanted.test(scenario ?? 'plain') && index % step === 0,
);

/** Those that take long by nature have tests of their own. */
const elsewhere = ['type-timeout'];

interface Played {
  held: TestConnection;
  source: Map<string, string>;
  record: Map<string, string>;
}

/**
 * The scenarios share people, as what the plain source has must be read for each of them. Their records are short, but
 * have several pages of Observations.
 */
const people = 8;

let suite: Suite;
let worker: RunningWorker;
let seen: Record<string, Seen>;
const played: Played[] = [];

const nameOf = ({ scenario = 'plain', release = 'r4' }: Expectation): string => `${scenario} (${release})`;
const usernameOf = ({ username }: Expectation, index: number): string => username ?? `brief-${1 + (index % people)}`;
const typeOf = (key: string): string => key.split('/')[0] ?? '';

beforeAll(async () => {
  suite = await startSuite();
  const { sandbox, userManagement, fhirStore, queue } = suite;
  await Promise.all(expectations.map(addResources));
  const sources = new Map<string, Promise<Map<string, string>>>();
  const sourceOf = (expectation: Expectation, index: number): Promise<Map<string, string>> => {
    const { hasOwnResources, scenario, release = 'r4' } = expectation;
    const hint = usernameOf(expectation, index) + (hasOwnResources ? `+${scenario}` : '');
    const key = `${hint} ${release}`;
    const source = sources.get(key) ?? sourceRecord(sandbox, hint, release);
    sources.set(key, source);
    return source;
  };
  const read = await Promise.all(expectations.map(sourceOf));
  await sandbox.forgetSeen();
  worker = await startWorker(suite.workerSettings);
  for (const isEarly of [true, false]) {
    const wave = expectations
      .map((expectation, index) => ({ expectation, index }))
      .filter(({ expectation: { early = false } }) => early === isEarly);
    const connected = await Promise.all(
      wave.map(({ expectation, index }) =>
        userManagement.connect(
          usernameOf(expectation, index),
          expectation.scenario,
          expectation.release,
          index,
          expectation.requestedScope,
        ),
      ),
    );
    wave.forEach(({ expectation: { searchParameters } }, order) => {
      const { connection, tokens } = connected[order] as TestConnection;
      if (searchParameters) connection.search_parameters = searchParameters(claimsOf(tokens.access_token));
    });
    await queue.add(...connected.map(jobOf));
    await ended(connected);
    wave.forEach(({ index }, order) => {
      const held = connected[order] as TestConnection;
      played[index] = {
        held,
        source: read[index] ?? new Map(),
        record: fhirStore.resourcesOf(held.connection.service_user_id),
      };
    });
  }
  seen = (await axios.get<Record<string, Seen>>(`${sandbox.origin()}/sandbox/observations`)).data;
});

/** The claims of a JWT, without a verification of its signature. */
function claimsOf(token: string): Record<string, string> {
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, string>;
}

async function addResources(expectation: Expectation, index: number): Promise<void> {
  const { adds, release = 'r4' } = expectation;
  if (!adds) return;
  const username = usernameOf(expectation, index);
  const { patient } = await suite.sandbox.signIn(username, release);
  for (const resource of adds(patient)) await suite.sandbox.change(username, release, resource);
}

afterAll(async () => {
  await worker?.stop();
  await suite?.stop();
});

it('covers every scenario of the sandbox that concerns collecting', async () => {
  const { data } = await axios.get<{ name: string }[]>(`${suite.sandbox.origin()}/sandbox/scenarios`);
  const inTable = new Set(allExpectations.flatMap(({ scenario }) => scenario?.split('+') ?? []));
  expect(
    data.map(({ name }) => name).filter((name) => !inTable.has(name) && ![...connecting, ...elsewhere].includes(name)),
  ).toEqual([]);
});

describe.each(expectations.map((expectation, index) => [nameOf(expectation), expectation, index] as const))(
  '%s',
  (_name, expectation, index) => {
    const play = (): Played => played[index] as Played;
    const mayMiss = (key: string): boolean =>
      [...(expectation.partial ?? []), ...(expectation.absent ?? [])].includes(typeOf(key));

    it('ends in the expected state', () => {
      const { held } = play();
      const { state = 'completed' } = expectation;
      const last = held.reports.at(-1);
      // The last report of a connection whose refresh was refused is that of an earlier attempt.
      const message = state === 'needs_reauthorization' ? undefined : last?.error?.message;
      expect([held.connection.status, message]).toEqual([
        state === 'completed' ? 'active' : state,
        state === 'failed' ? expect.stringMatching(expectation.error ?? /./) : undefined,
      ]);
      if (expectation.errorCode) expect(last?.error?.code).toBe(expectation.errorCode);
      if (state === 'completed') expect(last?.types.filter(({ done }) => !done)).toEqual([]);
      expect(held.refreshes).toBeGreaterThanOrEqual(expectation.refreshes ?? 0);
      // Tokens of five seconds are renewed for as long as the machine takes; one of three renewals may succeed.
      const renewals = expectation.tokensExpire ? 3 * held.refreshes : 0;
      expect(held.refreshRequests - renewals).toBeLessThanOrEqual(expectation.maxRefreshes ?? 0);
    });

    it('stores the record as the source has it', () => {
      const { source, record } = play();
      expect([...source.keys()].filter((key) => !record.has(key) && !mayMiss(key))).toEqual([]);
      const added = [...record.keys()].filter((key) => !source.has(key));
      expect(added).toEqual([]);
      for (const type of expectation.absent ?? [])
        expect([...record.keys()].filter((key) => typeOf(key) === type)).toEqual([]);
      expect([...record.keys()]).toEqual(expect.arrayContaining(expectation.keys ?? []));
      if (expectation.never) expect([...record.keys()].join('\n')).not.toMatch(expectation.never);
      if (expectation.rewritten) return;
      const changed = [...record].filter(([key, text]) => !isSame(source.get(key) ?? '', text)).map(([key]) => key);
      expect(changed).toEqual([]);
    });

    it('reports what is missing', () => {
      const { held, source, record } = play();
      const types = held.reports.at(-1)?.types ?? [];
      if (held.connection.status === 'active') expect(unreportedTypes(expectation, source, record, types)).toEqual([]);
      if (expectation.complete)
        expect(types.filter(({ outcome }) => outcome !== 'complete' && outcome !== 'not_offered')).toEqual([]);
    });

    it('reports warnings and counts', () => {
      const { held, record } = play();
      const types = new Map(held.reports.at(-1)?.types.map((progress) => [progress.type, progress]));
      for (const [type, warning] of Object.entries(expectation.warnings ?? {}))
        expect([
          type,
          types
            .get(type)
            ?.warnings.map(({ message }) => message)
            .join('; '),
        ]).toEqual([type, expect.stringMatching(warning)]);
      for (const [type, outcome] of Object.entries(expectation.outcomes ?? {}))
        expect([type, types.get(type)?.outcome]).toEqual([type, outcome]);
      // The sandbox offers the types that some person has: a selection of scenarios may have no search that finds
      // nothing.
      if (expectation.status && expectations.length === allExpectations.length)
        expect(seen[held.username]?.statuses[expectation.status] ?? 0).toBeGreaterThan(0);
      if (expectation.neverStatus) expect(seen[held.username]?.statuses).not.toHaveProperty(expectation.neverStatus);
      if (expectation.maxSearches !== undefined) {
        const counts = Object.values((seen[held.username] as Seen).searches);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
          expectation.maxSearches * held.queued,
        );
      }
      for (const [type, failed] of Object.entries(expectation.failed ?? {}))
        expect(types.get(type)?.failed).toBeGreaterThanOrEqual(failed);
      for (const pattern of expectation.some ?? [])
        expect([...record.values()].some((text) => pattern.test(text))).toBe(true);
      if ((expectation.state ?? 'completed') === 'completed') {
        for (const { type, stored, unchanged, created, fetched, failed, outcome } of types.values()) {
          if (outcome === 'failed') continue; // A page can have come twice.
          const there = [...record.keys()].filter((key) => typeOf(key) === type).length;
          // A repeated attempt counts the Provenance of several resources again.
          const counts = [stored + unchanged, fetched - failed];
          expect([type, ...counts.map((count) => (type === 'Provenance' ? Math.min(count, there) : count))]).toEqual([
            type,
            there,
            there,
          ]);
          // What a batch has created before it was repeated counts as unchanged: on a busy machine responses come late.
          expect([type, created <= there]).toEqual([type, true]);
        }
      }
    });
  },
);

it('sends no request and no token to another host', () => {
  expect(
    Object.entries(seen).filter(([, { tokensLeaked, requests }]) => tokensLeaked > 0 || requests['elsewhere']),
  ).toEqual([]);
});

it('respects the cap of a host, and adapts to a host with a lower limit', () => {
  expect(seen['brief-102']?.mostAtOnce ?? 0).toBeLessThanOrEqual(6);
  expect(seen['brief-101']?.statuses['429'] ?? 0).toBeLessThan(40);
});

/**
 * The types of which something is missing without being reported. What only missing resources refer to is missing with
 * them.
 */
function unreportedTypes(
  { unreachable = [] }: Expectation,
  source: Map<string, string>,
  record: Map<string, string>,
  types: readonly TypeProgress[],
): string[] {
  const hasGap = (type: string): boolean =>
    types.some(({ type: name, outcome }) => name === type && !['complete', 'not_offered'].includes(outcome));
  const isReferred = (type: string): boolean =>
    types.some(({ type: name, read }) => name === type && read === 'references');
  const isAnyIncomplete = types.some(({ type }) => hasGap(type));
  const missing = new Set([...source.keys()].filter((key) => !record.has(key)).map(typeOf));
  return [...missing].filter(
    (type) => !unreachable.includes(type) && !hasGap(type) && !(isAnyIncomplete && isReferred(type)),
  );
}

/** What is stored is what was sent; a Binary is made of its content, without the source's meta. */
function isSame(source: string, stored: string): boolean {
  if (source === stored) return true;
  const [one, other] = [source, stored].map((text) => parseJson(text) as Resource);
  if (one?.resourceType !== 'Binary') return false;
  const { meta: _meta, ...content } = one;
  return JSON.stringify(Object.entries(content).sort()) === JSON.stringify(Object.entries(other ?? {}).sort());
}

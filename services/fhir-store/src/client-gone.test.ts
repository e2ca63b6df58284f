import { type ClientRequest, request } from 'node:http';
import { waitUntil } from '@tributary/test-environment';
import type { JsonObject } from '@tributary/fhir-json';
import { Client } from 'pg';
import { FhirStoreUnderTest } from '../test/fhir-store-under-test';
import type { RecordOverHttp } from '../test/record-over-http';

let store: FhirStoreUnderTest;
let observer: Client;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
  observer = new Client({ connectionString: store.database.url });
  await observer.connect();
});
afterAll(async () => {
  await observer.end();
  await store.stop();
});

function begin(user: RecordOverHttp, method: string, path: string, body?: JsonObject): ClientRequest {
  const sent = request(`${store.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/fhir+json' },
  });
  sent.on('error', () => undefined);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return sent;
}

/** The statements in a state. */
async function statementsThat(condition: string): Promise<string[]> {
  const { rows } = await observer.query<{ query: string }>(
    `SELECT state || ' ' || query AS query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`,
  );
  return rows.map(({ query }) => query);
}

/** Waits until some statements, or none, are in a state. */
async function until(condition: string, some: boolean): Promise<void> {
  await waitUntil(async () => (await statementsThat(condition)).length > 0 === some, condition);
}

/** The service has noticed what came before on other connections once it has answered. */
async function answered(): Promise<void> {
  const other = store.user();
  for (let n = 0; n < 3; n++) await other.get('/r4/metadata');
}

it.each(['batch', 'transaction'])('stops a %s when the client disconnects', async (type) => {
  const user = store.user();
  await user.create('r4', { resourceType: 'Basic', code: { text: 'x' } });
  const blocker = new Client({ connectionString: store.database.url });
  await blocker.connect();
  await blocker.query('BEGIN; LOCK TABLE fhir_store.resource IN SHARE MODE');
  const entry = Array.from({ length: 40 }, (_, n) => ({
    resource: { resourceType: 'Patient' },
    request: { method: 'POST', url: 'Patient', ifNoneExist: `identifier=${n}` },
  }));
  const sent = begin(user, 'POST', '/r4', { resourceType: 'Bundle', type, entry });
  await until(`wait_event_type = 'Lock'`, true);
  sent.destroy();
  await new Promise((resolve) => sent.once('close', resolve));
  await answered();
  await blocker.end();
  await until(`state <> 'idle'`, false);
  const stored = async (): Promise<unknown> => (await user.bundle('/r4/Patient?_summary=count')).total;
  const before = await stored();
  expect(before).toBeLessThanOrEqual(type === 'batch' ? 4 : 40);
  const other = store.user();
  for (let n = 0; n < 20; n++) await other.create('r4', { resourceType: 'Patient' });
  expect(await stored()).toBe(before);
});

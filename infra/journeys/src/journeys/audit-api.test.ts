import { randomUUID } from 'node:crypto';
import { databaseUsers } from '@tributary/postgres';
import { waitUntil } from '@tributary/test-environment';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { clientKey, registerKeys, systemToken } from '../suite/system-tokens';
import { type ClientCredentials, type User, admin, newClient, newUser } from '../suite/users';

const ready = readySuite();
const events = `${ready.base_url}/audit/r4/AuditEvent`;

interface Event {
  subtype: { code: string }[];
  outcome: string;
  meta?: { profile: string[] };
  entity: { what?: { reference?: string; identifier?: { value: string } } }[];
}

describe('the audit log', () => {
  let client: ClientCredentials;
  let [user, otherUser]: User[] = [];
  let patientId: string;
  const requestId = `audit-${randomUUID()}`;

  beforeAll(async () => {
    client = await newClient(ready, 'audit journey');
    [user, otherUser] = [await newUser(ready, client), await newUser(ready, client)];
    const headers = bearer(user.access_token);
    const created = await http('POST', `${ready.base_url}/r4/Patient`, { headers, json: { resourceType: 'Patient' } });
    patientId = created.json.text('id');
    await http('GET', `${ready.base_url}/r4/Patient/${patientId}`, {
      headers: { ...headers, 'X-Request-Id': requestId },
    });
    await http('GET', `${ready.base_url}/r4/Patient?family=Quillfeather`, { headers });
    await http('GET', `${ready.base_url}/r4/Patient/${randomUUID()}`, { headers });
  });

  async function found(query: string, headers: Record<string, string>): Promise<Event[]> {
    const answer = await http('GET', `${events}?${query}`, { headers });
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.json.list('entry').map((entry) => (entry as { resource: Event }).resource);
  }

  it('shows a user who has accessed the record, in the order of time', async () => {
    const all = await found('type=rest&_sort=date', bearer(user!.access_token));
    expect(all.map(({ subtype, outcome }) => [subtype[0]?.code, outcome])).toEqual([
      ['create', '0'],
      ['read', '0'],
      ['search', '0'],
      ['read', '4'],
    ]);
    expect(all.map(({ meta }) => meta?.profile[0]?.split('.').at(-1))).toEqual([
      'PatientCreate',
      'PatientRead',
      undefined,
      undefined,
    ]);
    const [, read] = all;
    expect(read?.entity.map(({ what }) => what?.reference ?? what?.identifier?.value)).toEqual([
      String(user!.service_user_id),
      `${ready.base_url}/r4/Patient/${patientId}/_history/1`,
      requestId,
    ]);
    expect(JSON.stringify(all)).not.toContain('Quillfeather');
    expect(await found('type=rest', bearer(otherUser!.access_token))).toEqual([]);
  });

  it('shows a client the events of its users, with its secret or its own token', async () => {
    const key = clientKey('ES384');
    await registerKeys(client.client_id, key);
    const token = await systemToken(ready, client.client_id, key);
    for (const headers of [{ ...client }, bearer(token)]) {
      const read = await found(`patient=${user!.service_user_id}&entity=Patient/${patientId}&subtype=read`, headers);
      expect(read).toHaveLength(1);
    }
    const other = await newClient(ready, 'another client of the audit journey');
    expect(await found(`patient=${user!.service_user_id}`, { ...other })).toEqual([]);
  });

  it('accounts for disclosures, and exports events with the hashes of their blocks', async () => {
    const id = String(user!.service_user_id);
    const disclosures = (await admin('audit', 'disclosures', '--user', id, '--json')).trim().split('\n');
    const rows = disclosures.map((line) => JSON.parse(line) as { recipient: string; what: string; purpose: string });
    expect(rows.map(({ recipient, what }) => [recipient, what])).toEqual([
      [client.client_id, `fhir.create: r4/Patient/${patientId}`],
      [client.client_id, `fhir.read: r4/Patient/${patientId}`],
      [client.client_id, expect.stringMatching(/^fhir\.search: r4\/Patient, searched by family/)],
      // The command itself, which has not ended yet.
      [expect.any(String), `operator.command: audit disclosures --user=${id} --json (the end is not known)`],
    ]);
    const exported = await admin('audit', 'export', '--user', id, '--client', client.client_id);
    const lines = exported
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { requestId?: string; hash: string });
    expect(lines.find((line) => line.requestId === requestId)?.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is complete and unchanged', async () => {
    const lines = (await admin('audit', 'verify', '--contents', '--json')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining({ findings: 0 })]);
  });

  it('has signed checkpoints, and the streams of all services that use the database', async () => {
    const entries = async (): Promise<unknown[]> =>
      (JSON.parse(await admin('audit', 'checkpoints', '--json')) as { entry: unknown[] }).entry;
    await waitUntil(async () => (await entries()).length > 0, 'there is a checkpoint', 1000);
    const streams = JSON.parse(await admin('audit', 'streams', '--json')) as { entry: { service: string }[] };
    expect(new Set(streams.entry.map(({ service }) => service))).toEqual(new Set(databaseUsers));
  });
});

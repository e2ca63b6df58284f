import type { Client } from '@modelcontextprotocol/client';
import { call, clientOf, closeClients, lists, mcpEndpoint } from '../suite/mcp';
import { type ClientCredentials, type User, newClient, newUser } from '../suite/users';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

/** Stores resources in the record by one batch. */
async function store(user: User, release: string, resources: object[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'POST', url: (resource as { resourceType: string }).resourceType },
  }));
  const reply = await http('POST', `${ready.base_url}/${release}`, {
    headers: bearer(user.access_token),
    json: { resourceType: 'Bundle', type: 'batch', entry },
  });
  const failed = reply.json
    .list('entry')
    .filter((each) => !new Json(each).text('response', 'status').startsWith('201'));
  expect([reply.status, failed.slice(0, 1)]).toEqual([200, []]);
}

let credentials: ClientCredentials;
beforeAll(async () => {
  credentials = await newClient(ready, 'MCP journey');
});
afterAll(closeClients);

describe('a record that the application has written', () => {
  let user: User;
  let client: Client;
  beforeAll(async () => {
    user = await newUser(ready, credentials);
    client = await clientOf(user);
  });

  it('is empty at first, and every tool says so', async () => {
    const summary = await call(client, 'get_patient_summary');
    expect(summary.text).toContain('The record has no Patient.');
    for (const [tool] of lists) {
      const { text, isError, data } = await call(client, tool);
      expect([isError, data.at('total')]).toEqual([false, 0]);
      expect(text).toContain('No health system is connected.');
    }
  });

  it.each(['dstu2', 'stu3', 'r4'])('shows what is in %s', async (release) => {
    const own = await newUser(ready, credentials);
    const reader = await clientOf(own);
    const patient = { reference: 'Patient/1' };
    const code = {
      coding: [{ system: 'http://snomed.info/sct', code: '195967001', display: 'Asthma' }],
      text: 'Asthma',
    };
    const status =
      release === 'r4'
        ? { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }] }
        : 'active';
    await store(own, release, [
      release === 'dstu2'
        ? { resourceType: 'Condition', patient, code, clinicalStatus: status, verificationStatus: 'confirmed' }
        : { resourceType: 'Condition', subject: patient, code, clinicalStatus: status },
      release === 'dstu2'
        ? {
            resourceType: 'MedicationOrder',
            patient,
            status: 'active',
            medicationCodeableConcept: { text: 'Salbutamol' },
          }
        : {
            resourceType: 'MedicationRequest',
            subject: patient,
            status: 'active',
            intent: 'order',
            medicationCodeableConcept: { text: 'Salbutamol' },
          },
      {
        resourceType: 'Observation',
        status: 'final',
        category: release === 'dstu2' ? { text: 'Laboratory' } : [{ text: 'Laboratory' }],
        code: { coding: [{ system: 'http://loinc.org', code: '718-7' }], text: 'Hemoglobin' },
        subject: patient,
        effectiveDateTime: '2024-03-01',
        valueQuantity: { value: 13.5, unit: 'g/dL' },
      },
    ]);
    expect((await call(reader, 'list_problems', { current_only: true })).text).toContain(
      '- Asthma (SNOMED CT 195967001); status: active',
    );
    expect((await call(reader, 'list_medications')).text).toContain('- Salbutamol; kind: prescription; status: active');
    expect((await call(reader, 'list_lab_results', { test: '718-7' })).text).toContain('2024-03-01: 13.5 g/dL');
    expect((await call(reader, 'list_lab_results', { test: 'hemoglobin' })).data.at('total')).toBe(1);
  });

  it('is not shown to another user, who gets the same answer as for an id that does not exist', async () => {
    await store(user, 'r4', [{ resourceType: 'Basic', code: { text: 'private' } }]);
    const [entry] = (await call(client, 'search_fhir', { type: 'Basic' })).data.list('entries');
    const reference = new Json(entry).text('reference');
    expect((await call(client, 'read_fhir_resource', { reference })).isError).toBe(false);
    const other = await clientOf(await newUser(ready, credentials));
    const foreign = await call(other, 'read_fhir_resource', { reference });
    const absent = await call(other, 'read_fhir_resource', {
      reference: 'r4/Basic/6f0bb3b5-58cf-4d0a-bf6b-3b4e1a6a7f11',
    });
    expect([foreign.isError, foreign.text]).toEqual([true, absent.text]);
  });

  it('with more Observations than one answer reads gives short answers, and says what was read', async () => {
    const own = await newUser(ready, credentials);
    const day = (n: number): string => new Date(Date.UTC(1996, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
    const observations = Array.from({ length: 2200 }, (_, n) => ({
      resourceType: 'Observation',
      status: 'final',
      category: [
        { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }] },
      ],
      code: {
        coding: [{ system: 'http://loinc.org', code: n % 2 ? '2339-0' : '718-7' }],
        text: n % 2 ? 'Glucose' : 'Hemoglobin',
      },
      subject: { reference: 'Patient/1' },
      effectiveDateTime: day(n),
      valueQuantity: { value: n, unit: 'mg/dL' },
    }));
    await store(own, 'r4', observations);
    const reader = await clientOf(own);
    const { text, data } = await call(reader, 'list_lab_results', { history: 3 });
    expect(text.length).toBeLessThan(5000);
    expect(data.list('tests').map((each) => new Json(each).at('count'))).toEqual([1000, 1000]);
    expect(data.list('notes')).toContainEqual(expect.stringContaining(`Only results from ${day(200)} on were read`));
    const old = await call(reader, 'list_lab_results', { test: '718-7', until: day(3), history: 10 });
    expect(new Json(old.data.list('tests')[0]).list('results').map((each) => new Json(each).at('value'))).toEqual([
      '2 mg/dL',
      '0 mg/dL',
    ]);
    expect((await call(reader, 'get_patient_summary')).text).toContain('Glucose (LOINC 2339-0): 2199 mg/dL');
  });
});

describe('a client without a valid token', () => {
  it('finds from the challenge where tokens come from', async () => {
    const refused = await http('POST', mcpEndpoint, { json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect(refused.status).toBe(401);
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const metadata = await http('GET', address);
    expect(metadata.json.at('resource')).toBe(mcpEndpoint);
    const server = await http(
      'GET',
      `${String(metadata.json.list('authorization_servers')[0])}/.well-known/oauth-authorization-server`,
    );
    expect(server.json.text('token_endpoint')).toMatch(/\/oauth2\/token$/);
  });

  it('is refused after the token was revoked', async () => {
    const user = await newUser(ready, credentials);
    const client = await clientOf(user);
    expect((await call(client, 'list_connections')).isError).toBe(false);
    const { client_id, client_secret, access_token: token } = user;
    await http('POST', `${ready.auth_url}/oauth2/revoke`, { form: { client_id, client_secret, token } });
    // The revocation reaches the service through Redis.
    let status = 200;
    while (status === 200) {
      const reply = await http('POST', mcpEndpoint, {
        headers: { ...bearer(token), Accept: 'application/json, text/event-stream' },
        json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      });
      status = reply.status;
    }
    expect(status).toBe(401);
    await expect(call(client, 'list_connections')).rejects.toThrow();
  });

  it('gets errors of JSON-RPC for what is not a request of the protocol', async () => {
    const user = await newUser(ready, credentials);
    const headers = {
      ...bearer(user.access_token),
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
    };
    for (const body of ['{"jsonrpc":', '[]', '{"jsonrpc":"2.0","id":1}', '{}']) {
      const reply = await http('POST', mcpEndpoint, { headers, body });
      expect([body, reply.status, reply.json.at('jsonrpc')]).toEqual([body, 400, '2.0']);
    }
  });
});

import { gunzipSync } from 'node:zlib';
import { waitUntil } from '@tributary/test-environment';
import { resources } from '../records/comparable';
import { type ClientCredentials, type User, exportAll, newClient, newUser } from '../suite/users';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const exportUrl = `${ready.analytics_url}/bulk-data/r4/$export`;

describe('bulk export', () => {
  let client: ClientCredentials;
  let one: User;
  let two: User;
  const whole = (): Record<string, string> => ({ ...client, 'x-service-user-id': 'client' });
  beforeAll(async () => {
    client = await newClient(ready, 'export journey');
    one = await newUser(ready, client);
    two = await newUser(ready, client);
    for (const user of [one, two]) {
      await http('POST', `${ready.base_url}/r4/Patient`, {
        headers: bearer(user.access_token),
        json: { resourceType: 'Patient', birthDate: '1980-01-02' },
      });
      await http('POST', `${ready.base_url}/dstu2/MedicationOrder`, {
        headers: bearer(user.access_token),
        json: { resourceType: 'MedicationOrder', status: 'active', medicationCodeableConcept: { text: 'Aspirin' } },
      });
    }
  });

  it('returns a synchronous manifest for one user, with one type per file', async () => {
    const { manifest, lines } = await exportAll(ready, bearer(one.access_token));
    expect(manifest.value).toMatchObject({
      transactionTime: expect.any(String),
      request: exportUrl,
      requiresAccessToken: true,
      error: [],
    });
    expect(
      manifest
        .list('output')
        .map((entry) => new Json(entry).at('type'))
        .sort(),
    ).toEqual(['MedicationOrder', 'Patient']);
    for (const entry of manifest.list('output').map((output) => new Json(output)))
      expect(entry.text('url')).toMatch(
        new RegExp(`^${ready.analytics_url}/bulk-data/r4/\\$export/${entry.text('type')}/[A-Za-z0-9_.~-]+\\.ndjson$`),
      );
    expect(
      resources(lines)
        .map(({ resourceType }) => resourceType)
        .sort(),
    ).toEqual(['MedicationOrder', 'Patient']);
    expect(lines.join()).toContain('"birthDate":"1980-01-02"');
  });

  it('exports all users of a client with the three headers', async () => {
    const { lines } = await exportAll(ready, whole());
    expect(lines).toHaveLength(4);
    expect((await http('GET', exportUrl, { headers: { ...client, 'x-service-user-id': '7' } })).status).toBe(400);
    expect((await http('GET', exportUrl, { headers: { ...whole(), ...bearer(one.access_token) } })).status).toBe(400);
    expect((await http('GET', exportUrl)).status).toBe(401);
  });

  it('limits by _type and _since', async () => {
    expect((await exportAll(ready, whole(), '?_type=Patient')).lines).toHaveLength(2);
    expect((await exportAll(ready, whole(), '?_type=Patient,MedicationOrder')).lines).toHaveLength(4);
    const { manifest } = await exportAll(ready, whole());
    await http('POST', `${ready.base_url}/r4/Patient`, {
      headers: bearer(two.access_token),
      json: { resourceType: 'Patient', birthDate: '2001-01-01' },
    });
    const since = await exportAll(ready, whole(), `?_since=${encodeURIComponent(manifest.text('transactionTime'))}`);
    expect(since.lines).toHaveLength(1);
    expect((await http('GET', `${exportUrl}?_type=Spaceship`, { headers: whole() })).status).toBe(400);
    expect((await http('GET', `${exportUrl}?_since=yesterday`, { headers: whole() })).status).toBe(400);
  });

  it('serves a file only in the scope of its manifest, gzipped on request', async () => {
    const { manifest } = await exportAll(ready, bearer(one.access_token), '?_type=Patient');
    const url = manifest.text('output', 0, 'url');
    expect((await http('GET', url)).status).toBe(401);
    expect((await http('GET', url, { headers: bearer(two.access_token) })).status).toBe(404);
    expect((await http('GET', url, { headers: whole() })).status).toBe(404);
    expect(
      (await http('GET', url.replace('/Patient/', '/Observation/'), { headers: bearer(one.access_token) })).status,
    ).toBe(404);
    const at = url.length - 20;
    const altered = `${url.slice(0, at)}${url[at] === 'A' ? 'B' : 'A'}${url.slice(at + 1)}`;
    expect((await http('GET', altered, { headers: bearer(one.access_token) })).status).toBe(404);
    const plain = await http('GET', url, { headers: { ...bearer(one.access_token), 'Accept-Encoding': 'identity' } });
    expect(plain.headers.get('content-type')).toContain('application/fhir+ndjson');
    const { get } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
    const packed = await new Promise<Buffer>((resolve, reject) => {
      get(url, { headers: { ...bearer(one.access_token), 'Accept-Encoding': 'gzip' } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
      }).on('error', reject);
    });
    expect(gunzipSync(packed).toString()).toBe(plain.text);
  });

  it('announces the end of an asynchronous export to webhook endpoints', async () => {
    const webhooks = `${ready.base_url}/connect/v1/webhooks`;
    // Nobody listens there; the log of deliveries has the event all the same.
    const added = await http('POST', webhooks, {
      headers: { ...client },
      json: { url: 'http://127.0.0.1:9/events', events: ['export.completed'] },
    });
    const endpointId = added.json.text('endpoint_id');
    const begun = await http('GET', exportUrl, {
      headers: { ...bearer(one.access_token), Prefer: 'respond-async' },
    });
    const deliveries = async (): Promise<unknown[]> =>
      (await http('GET', `${webhooks}/${endpointId}/deliveries`, { headers: { ...client } })).json.list('entry');
    const whenAnnounced = async (): Promise<unknown[] | undefined> => {
      const found = await deliveries();
      return found.length > 0 ? found : undefined;
    };
    const entries = await waitUntil(whenAnnounced, 'the end of the export is announced', 100);
    expect(begun.status).toBe(202);
    expect(entries).toEqual([
      expect.objectContaining({ event: 'export.completed', service_user_id: one.service_user_id }),
    ]);
  });
});

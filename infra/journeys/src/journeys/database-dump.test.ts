import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { InternalHttp } from '@tributary/contracts';
import type { Client } from 'pg';
import { z } from 'zod';
import { describeLocal, withDatabase } from '../suite/database';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type Secrets, TraceFinder } from '../suite/traces';
import { type User, collected, connect, exportAll, newAppUserId, newClient, newUser } from '../suite/users';

const ready = readySuite();
const username = 'small-Ida-Kowalczyk';
const mark = randomBytes(8).toString('hex');

/** What the sandbox's record of `username` contains. */
const collectedValues: Secrets = {
  'collected family name': 'Kowalczyk',
  'collected condition': 'Diabetes mellitus type 2',
  'collected observation': 'Hemoglobin A1c',
  'collected birth date': '1971-02-28',
  'collected procedure': 'Appendectomy',
};

const written = {
  family: `Quillfeather-${mark}`,
  street: `Marsh Lane ${mark}`,
  telephone: `+1-555-${mark}`,
  'identifier value': `MRN-${mark}`,
  'code system': `http://codes.example.org/${mark}`,
  code: `code-${mark}`,
  note: `The patient reports ${mark}.`,
  'value of an observation': `value-${mark}`,
  document: `A scanned letter ${mark}, which is stored apart.`,
};

async function writeRecord(user: User): Promise<Secrets> {
  const create = async (resource: { resourceType: string }): Promise<void> => {
    const url = `${ready.base_url}/r4/${resource.resourceType}`;
    const created = await http('POST', url, { headers: bearer(user.access_token), json: resource });
    expect([resource.resourceType, created.status]).toEqual([resource.resourceType, 201]);
  };
  await create({
    resourceType: 'Patient',
    identifier: [{ system: written['code system'], value: written['identifier value'] }],
    name: [{ family: written.family }],
    address: [{ line: [written.street] }],
    telecom: [{ system: 'phone', value: written.telephone }],
  } as { resourceType: string });
  await create({
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [{ system: written['code system'], code: written.code }] },
    valueString: written['value of an observation'],
    note: [{ text: written.note }],
  } as { resourceType: string });
  await create({
    resourceType: 'DocumentReference',
    status: 'current',
    content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(written.document).toString('base64') } }],
  } as { resourceType: string });
  // Searches by these values leave no trace either.
  for (const query of [`Patient?family=${written.family}`, `Observation?code=${written.code}`, 'Patient?_count=1'])
    expect((await http('GET', `${ready.base_url}/r4/${query}`, { headers: bearer(user.access_token) })).status).toBe(
      200,
    );
  return written;
}

/** The values of single-use links, codes and states that a connection passes through a browser. */
async function connectSandbox(user: User): Promise<Secrets> {
  const visited: URL[] = [];
  await connect(ready, user, username, { fhirVersion: 'r4', state: `app-state-${mark}` }, visited);
  const found: Record<string, string> = { 'username at the health system': username };
  for (const { pathname, searchParams } of visited)
    for (const name of ['code', 'state']) {
      const value = searchParams.get(name);
      if (value) found[`${name} of ${pathname}`] = value;
    }
  expect(Object.keys(found).length).toBeGreaterThanOrEqual(3);
  return found;
}

/** The access token of the health system, as ingestion-worker gets it. */
async function healthSystemToken(home: string, connectionId: string): Promise<Secrets> {
  const { environments } = JSON.parse(readFileSync(join(home, 'running.json'), 'utf8')) as {
    environments: Record<string, Record<string, string>>;
  };
  const worker = environments['ingestion-worker'] ?? {};
  const [cert, key, ca] = ['TLS_CERTIFICATE_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE'].map((name) => worker[name]);
  const identity = cert && key && ca && { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
  const userManagement = new InternalHttp({
    service: 'user-management',
    baseUrl: worker['USER_MANAGEMENT_INTERNAL_URL'] ?? '',
    caller: 'ingestion-worker',
    key: worker['SERVICE_KEY'] ?? '',
    ...(identity ? { tls: () => identity } : {}),
  });
  const { access_token } = await userManagement.call({
    method: 'POST',
    path: `/internal/v1/connections/${connectionId}/access-token`,
    body: {},
    response: z.object({ access_token: z.string() }),
  });
  return { 'access token of the health system': access_token };
}

/** What the user agreed to. Other tables have some of it; the receipt has all of it, together, for years. */
async function consentValues(user: User, connectionId: string): Promise<Secrets> {
  const url = `${ready.base_url}/connect/v1/connections/${connectionId}/consent`;
  const { json } = await http('GET', url, { headers: bearer(user.access_token) });
  return {
    'name of the client': json.text('client', 'name'),
    'id of the client': json.text('client', 'client_id'),
    'name of the health system': json.text('health_system', 'name'),
    'FHIR base': json.text('fhir_base_url'),
    'granted scope': json.text('scopes_granted', 0),
  };
}

async function exportRecord(user: User): Promise<Secrets> {
  const { manifest, lines } = await exportAll(ready, bearer(user.access_token));
  expect(lines.join('')).toContain(written.family);
  const file = new URL((manifest.at('output', 0) as { url: string }).url);
  const [, token = ''] = /([\w.-]{24,})(?:\.ndjson)?$/.exec(file.pathname) ?? [];
  return token === '' ? {} : { 'token of an exported file': token };
}

/** Secrets that an operator or the installation itself made. */
function installationSecrets(home: string): Secrets {
  const secrets = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as Record<string, string>;
  const hidden = Object.entries(secrets).filter(([name]) => !name.endsWith('client-id'));
  return {
    ...Object.fromEntries(hidden),
    ...Object.fromEntries(
      hidden
        .filter(([name]) => name.startsWith('key-encryption-key-'))
        .map(([name, key]) => [`decoded ${name}`, Buffer.from(key, 'base64')]),
    ),
  };
}

/** All rows of all tables, as text, in parts. */
async function* dump(client: Client): AsyncGenerator<{ table: string; text: string }> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE relkind IN ('r', 'm') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' ORDER BY 1`,
  );
  for (const { name } of tables) {
    await client.query(`DECLARE row_text NO SCROLL CURSOR FOR SELECT t::text AS text FROM ${name} t`);
    for (;;) {
      const { rows } = await client.query<{ text: string }>('FETCH 200 FROM row_text');
      if (rows.length === 0) break;
      yield { table: name, text: rows.map(({ text }) => text).join('\n') };
    }
    await client.query('CLOSE row_text');
  }
  await client.query('COMMIT');
}

describeLocal('a dump of the database', () => {
  it('discloses no clinical value, no name, no token and no secret, in any table of any schema', async () => {
    const home = process.env['JOURNEY_HOME'] ?? '';
    const clientName = `Dump journey ${mark}`;
    const client = await newClient(ready, clientName);
    const appUserId = newAppUserId();
    const created = await http('POST', `${ready.base_url}/user-management/v1/user`, {
      headers: { ...client },
      form: { app_user_id: appUserId },
    });
    const user = await newUser(ready, client);
    const webhook = await http('POST', `${ready.base_url}/connect/v1/webhooks`, {
      headers: { ...client },
      // Nobody listens there; the events are stored all the same.
      json: { url: 'http://127.0.0.1:9/events' },
    });
    const connectSecrets = await connectSandbox(user);
    const [connection] = await collected(ready, user);
    const refreshed = await http('POST', `${ready.auth_url}/oauth2/token`, {
      form: { ...client, grant_type: 'refresh_token', refresh_token: user.refresh_token },
    });
    const connectionId = connection?.text('connection_id') ?? '';
    const refreshedUser = { ...user, access_token: refreshed.json.text('access_token') };
    const secrets: Secrets = {
      ...collectedValues,
      ...(await writeRecord(refreshedUser)),
      ...connectSecrets,
      ...(await healthSystemToken(home, connectionId)),
      ...(await exportRecord(refreshedUser)),
      ...installationSecrets(home),
      'app_user_id of a new user': appUserId,
      'authorization code that was not used': created.json.text('code'),
      app_user_id: user.app_user_id,
      'client secret': client.client_secret,
      'access token': user.access_token,
      'refresh token': user.refresh_token,
      'renewed access token': refreshedUser.access_token,
      'renewed refresh token': refreshed.json.text('refresh_token'),
      'webhook secret': webhook.json.text('secret').replace(/^whsec_/, ''),
      'decoded webhook secret': Buffer.from(webhook.json.text('secret').slice(6), 'base64'),
      'private key': '-----BEGIN PRIVATE KEY-----',
    };
    const consent = await consentValues(refreshedUser, connectionId);
    expect(consent).toMatchObject({ 'name of the client': clientName });
    const endpoint = webhook.json.text('endpoint_id');
    // The event of the collection is delivered, and logged, in the background.
    for (let left = 300; left > 0; left--) {
      const log = `${ready.base_url}/connect/v1/webhooks/${endpoint}/deliveries`;
      if ((await http('GET', log, { headers: { ...client } })).json.list('entry').length > 0) break;
      await pause(200);
    }

    const finder = new TraceFinder(secrets);
    const consentFinder = new TraceFinder(consent);
    const publicFinder = new TraceFinder({ connection: connectionId, client: client.client_id, endpoint });
    const disclosed: string[] = [];
    const known = new Set<string>();
    const tables = new Set<string>();
    await withDatabase(ready, async (database) => {
      for await (const { table, text } of dump(database)) {
        tables.add(table);
        for (const name of finder.find(text)) disclosed.push(`${name} in ${table}`);
        if (table === 'user_management.consent_receipt')
          for (const name of consentFinder.find(text)) disclosed.push(`${name} in ${table}`);
        for (const name of publicFinder.find(text)) known.add(`${name} in ${table}`);
      }
    });
    // These are stored as plain text, which shows that the dump is complete and is searched.
    for (const stored of ['client in auth.client_application', 'connection in user_management.connection'])
      expect([...known]).toContain(stored);
    expect([...known]).toContain('connection in user_management.consent_receipt');
    expect([...known]).toContain('endpoint in user_management.webhook_delivery');
    for (const schema of [
      'analytics_export',
      'audit',
      'auth',
      'console',
      'fhir_store',
      'fhir_store_keys',
      'search',
      'user_management',
    ])
      expect([...tables].some((table) => table.startsWith(`${schema}.`))).toBe(true);
    expect([...new Set(disclosed)]).toEqual([]);
  });
});

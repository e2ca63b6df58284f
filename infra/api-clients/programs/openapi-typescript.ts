import createClient from 'openapi-fetch';
import type { paths as UserPaths } from './clients/users.js';
import type { paths as TokenPaths } from './clients/tokens.js';
import type { paths as SearchPaths } from './clients/search.js';
import type { paths as ExportPaths } from './clients/exports.js';
import type { paths as FhirPaths } from './clients/fhir.js';

const { BASE_URL, AUTH_URL, SEARCH_URL, ANALYTICS_URL, CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;

/** The data of a response. @throws Error with the body of an error response */
function dataOf<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

async function main(): Promise<void> {
  const users = createClient<UserPaths>({
    baseUrl: BASE_URL,
    headers: { client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
  });
  const created = dataOf(
    await users.POST('/user-management/v1/user', { body: { app_user_id: `generated-${process.pid}-${Date.now()}` } }),
  );
  const tokens = dataOf(
    await createClient<TokenPaths>({ baseUrl: AUTH_URL }).POST('/oauth2/token', {
      body: {
        grant_type: 'authorization_code',
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        code: created.code,
      },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      bodySerializer: (body) => new URLSearchParams(body as Record<string, string>),
    }),
  );
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  const found = dataOf(
    await createClient<SearchPaths>({ baseUrl: SEARCH_URL, headers }).POST('/api/search', {
      params: { query: { query: 'sandbox' } },
    }),
  );
  const fhir = createClient<FhirPaths>({
    baseUrl: BASE_URL,
    headers,
    querySerializer: { object: { style: 'form', explode: true } },
  });
  const path = { release: 'r4', type: 'Patient' } as const;
  const patient = dataOf(
    await fhir.POST('/{release}/{type}', {
      params: { path },
      body: { resourceType: 'Patient', name: [{ family: 'Rivera' }], gender: 'female' },
    }),
  );
  const bundle = dataOf(
    await fhir.GET('/{release}/{type}', { params: { path, query: { criteria: { family: 'rivera' }, _count: 5 } } }),
  );
  const manifest = dataOf(
    await createClient<ExportPaths>({ baseUrl: ANALYTICS_URL, headers }).GET('/bulk-data/r4/$export', {
      params: { query: { _type: ['Patient'] } },
    }),
  );
  const result = {
    service_user_id: created.service_user_id,
    healthSystem: found.entry[0]?.name,
    patient: patient['gender'],
    found: bundle.total,
    exported: 'resourceType' in manifest ? undefined : manifest.output[0]?.count,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

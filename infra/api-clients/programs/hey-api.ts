import { client as exportClient } from './clients/exports/client.gen.js';
import { getExport } from './clients/exports/sdk.gen.js';
import { client as fhirClient } from './clients/fhir/client.gen.js';
import { createResource, searchResource } from './clients/fhir/sdk.gen.js';
import { client as searchClient } from './clients/search/client.gen.js';
import { searchHealthSystems } from './clients/search/sdk.gen.js';
import { exchangeForTokens } from './clients/tokens/sdk.gen.js';
import { client as userClient } from './clients/users/client.gen.js';
import { createUser } from './clients/users/sdk.gen.js';

const { CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;

async function main(): Promise<void> {
  userClient.setConfig({
    auth: ({ in: location, name }) =>
      location !== 'query' ? { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }[name ?? ''] : undefined,
  });
  const { data: created } = await createUser({
    body: { app_user_id: `generated-${process.pid}-${Date.now()}` },
    throwOnError: true,
  });
  const { data: tokens } = await exchangeForTokens({
    body: {
      grant_type: 'authorization_code',
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      code: created.code,
    },
    throwOnError: true,
  });
  const auth = ({ scheme }: { scheme?: string }): string | undefined =>
    scheme === 'bearer' ? tokens.access_token : undefined;
  for (const client of [searchClient, fhirClient, exportClient]) client.setConfig({ auth });
  const { data: found } = await searchHealthSystems({ query: { query: 'sandbox' }, throwOnError: true });
  const path = { release: 'r4', type: 'Patient' } as const;
  const { data: patient } = await createResource({
    path,
    body: { resourceType: 'Patient', name: [{ family: 'Rivera' }], gender: 'female' },
    throwOnError: true,
  });
  const { data: bundle } = await searchResource({
    path,
    query: { criteria: { family: 'rivera' }, _count: 5 },
    throwOnError: true,
  });
  const { data: manifest } = await getExport({ query: { _type: ['Patient'] }, throwOnError: true });
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

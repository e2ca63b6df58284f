// Pages through a record with two clients that know nothing of this service. Prints what each found, as JSON: { client:
// { type: [ids] } }. Started as a process of its own because fhir-kit-client is an ES module.
import fhirclient from 'fhirclient';
import { Client } from 'fhir-kit-client';

const [base, token, count, ...types] = process.argv.slice(2);

async function withFhirKitClient(type) {
  const client = new Client({ baseUrl: base, bearerToken: token });
  const ids = [];
  for (
    let page = await client.search({ resourceType: type, searchParams: { _count: count } });
    page !== undefined;
    page = await client.nextPage({ bundle: page })
  ) {
    for (const { resource } of page.entry ?? []) ids.push(resource.id);
  }
  const [first] = ids;
  if (first !== undefined && (await client.read({ resourceType: type, id: first })).id !== first)
    throw new Error('read another resource than was asked for');
  return ids;
}

async function withFhirclient(type) {
  const storage = { get: async () => undefined, set: async () => undefined, unset: async () => true };
  const client = fhirclient({ headers: {}, url: '/' }, {}, storage).client({
    serverUrl: base,
    tokenResponse: { access_token: token, token_type: 'bearer' },
  });
  const resources = await client.request(`${type}?_count=${count}`, { pageLimit: 0, flat: true });
  return resources.map(({ id }) => id);
}

const found = { 'fhir-kit-client': {}, fhirclient: {} };
for (const type of types) {
  found['fhir-kit-client'][type] = await withFhirKitClient(type);
  found.fhirclient[type] = await withFhirclient(type);
}
process.stdout.write(JSON.stringify(found));

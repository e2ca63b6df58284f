// Reads and writes a record with clients that know nothing of this service, as their documentation shows it. Prints
// what each found, as JSON. Started as a process of its own because two of the clients are ES modules.
import { MedplumClient } from '@medplum/core';
import fhirclient from 'fhirclient';
import { Client } from 'fhir-kit-client';

const [base, token] = process.argv.slice(2);
const [root, release] = [base.slice(0, base.lastIndexOf('/')), base.slice(base.lastIndexOf('/') + 1)];
const born = '1990-07-04';
const observation = (n, status = 'final') => ({ resourceType: 'Observation', status, code: { text: `clients ${n}` } });
const resources = ({ entry = [] }) =>
  entry.filter(({ search }) => search?.mode !== 'outcome').map((each) => each.resource);

async function withFhirKitClient() {
  const client = new Client({ baseUrl: base, bearerToken: token });
  const { tokenUrl } = await client.smartAuthMetadata();
  const created = await client.create({ resourceType: 'Patient', body: { resourceType: 'Patient', birthDate: born } });
  const { id } = created;
  const updated = await client.update({ resourceType: 'Patient', id, body: { ...created, gender: 'female' } });
  const patched =
    release === 'dstu2'
      ? updated
      : await client.patch({
          resourceType: 'Patient',
          id,
          jsonPatch: [{ op: 'replace', path: '/gender', value: 'other' }],
        });
  const history = await client.history({ resourceType: 'Patient', id });
  for (let n = 0; n < 7; n++) await client.create({ resourceType: 'Observation', body: observation(n) });
  const pages = [await client.search({ resourceType: 'Observation', searchParams: { _count: 3, _sort: '_id' } })];
  for (let page; (page = await client.nextPage({ bundle: pages.at(-1) })) !== undefined;) pages.push(page);
  const back = [pages.at(-1)];
  for (let page; (page = await client.prevPage({ bundle: back[0] })) !== undefined;) back.unshift(page);
  const ids = (bundles) => bundles.map((bundle) => resources(bundle).map((each) => each.id));
  const typo = await client.search({ resourceType: 'Observation', searchParams: { Code: 'x' } });
  return {
    tokenUrl,
    created: created.birthDate,
    updated: [updated.gender, updated.birthDate],
    patched: patched.gender,
    versions: history.entry.length,
    totals: pages.map(({ total }) => total),
    sizes: pages.map((page) => page.entry.length),
    wayBack: JSON.stringify(ids(back)) === JSON.stringify(ids(pages)),
    typo: typo.entry[0].resource.issue[0].diagnostics,
  };
}

async function withFhirclient() {
  const storage = { get: async () => undefined, set: async () => undefined, unset: async () => true };
  const client = fhirclient({ headers: {}, url: '/' }, {}, storage).client({
    serverUrl: base,
    tokenResponse: { access_token: token, token_type: 'bearer' },
  });
  const created = await client.create({ resourceType: 'Patient', birthDate: born });
  const updated = await client.update({ ...created, gender: 'female' });
  const patched =
    release === 'dstu2'
      ? updated
      : await client.patch(`Patient/${created.id}`, [{ op: 'replace', path: '/gender', value: 'other' }]);
  const bundle = await client.request('Observation?_count=2');
  const all = await client.request('Observation?_count=2', { pageLimit: 0, flat: true });
  await client.delete(`Patient/${created.id}`);
  const gone = await client.request(`Patient/${created.id}`).catch((error) => error.statusCode ?? error.status);
  return {
    created: created.birthDate,
    updated: [updated.gender, updated.birthDate],
    patched: patched.gender,
    total: bundle.total,
    all: all.length,
    gone,
  };
}

async function withMedplum() {
  const client = new MedplumClient({ baseUrl: `${root}/`, fhirUrlPath: release, accessToken: token, cacheTime: 0 });
  const created = await client.createResource({ resourceType: 'Patient', birthDate: born });
  const updated = await client.updateResource({ ...created, gender: 'female' });
  const identifier = [{ system: 'urn:clients', value: 'medplum' }];
  const upsert = (gender) =>
    client.upsertResource({ resourceType: 'Patient', identifier, gender }, 'identifier=urn:clients|medplum');
  const upserted = [await upsert('male'), await upsert('female')];
  const once = await client.createResourceIfNoneExist(
    { resourceType: 'Patient', identifier },
    'identifier=urn:clients|medplum',
  );
  const patched = await client.patchResource('Patient', created.id, [
    { op: 'replace', path: '/gender', value: 'other' },
  ]);
  const sizes = [];
  for await (const page of client.searchResourcePages('Observation', '_count=3')) sizes.push(page.length);
  const bundle = await client.search('Observation', { _count: 3, _sort: '-_lastUpdated' });
  const answer = await client.executeBatch({
    resourceType: 'Bundle',
    type: 'batch',
    entry: [
      { request: { method: 'PUT', url: `Patient/${created.id}` }, resource: { ...created, active: true } },
      { request: { method: 'GET', url: 'Observation?_count=1' } },
    ],
  });
  const history = await client.readHistory('Patient', created.id);
  await client.deleteResource('Patient', created.id);
  const gone = await client.readResource('Patient', created.id).catch((error) => error.outcome?.resourceType);
  return {
    created: created.birthDate,
    updated: [updated.gender, updated.birthDate],
    upserted: [upserted[0].id === upserted[1].id, upserted[1].gender, once.id === upserted[0].id],
    patched: patched.gender,
    sizes,
    total: bundle.total,
    batch: answer.entry.map(({ response }) => response.status.slice(0, 3)),
    batchTotal: answer.entry[1].resource.total,
    versions: history.entry.length,
    gone,
  };
}

const found = { 'fhir-kit-client': await withFhirKitClient(), fhirclient: await withFhirclient() };
// Medplum supports R4 alone.
if (release === 'r4') found.medplum = await withMedplum();
process.stdout.write(JSON.stringify(found));

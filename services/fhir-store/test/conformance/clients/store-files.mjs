// Stores and downloads files with the client of Medplum, which knows nothing of this service, as its documentation
// shows it. Prints what it found, as JSON.
import { createHash } from 'node:crypto';
import { MedplumClient } from '@medplum/core';

const [base, token] = process.argv.slice(2);
const [root, release] = [base.slice(0, base.lastIndexOf('/')), base.slice(base.lastIndexOf('/') + 1)];
const client = new MedplumClient({ baseUrl: `${root}/`, fhirUrlPath: release, accessToken: token, cacheTime: 0 });

const bytes = Uint8Array.from({ length: 200_003 }, (_, at) => (at * 7919) % 251);
const hash = (content) => createHash('sha256').update(content).digest('hex');
const created = await client.createBinary({
  data: bytes,
  filename: 'report.pdf',
  contentType: 'application/pdf',
  securityContext: { reference: 'Patient/1' },
});
const file = await client.download(`Binary/${created.id}`);
const text = await client.createBinary('Grüße', 'letter.txt', 'text/plain; charset=utf-8');
const json = await client.createBinary(JSON.stringify({ resourceType: 'Patient' }), 'a.json', 'application/json');
const resource = await client.readResource('Binary', created.id);
const found = {
  created: [created.resourceType, created.contentType, created.securityContext?.reference],
  downloaded: [file.type, hash(new Uint8Array(await file.arrayBuffer())) === hash(bytes)],
  text: await (await client.download(`Binary/${text.id}`)).text(),
  json: await (await client.download(`Binary/${json.id}`)).text(),
  resource: [resource.resourceType, hash(Buffer.from(resource.data, 'base64')) === hash(bytes)],
};
process.stdout.write(JSON.stringify(found));

import { createHash, randomBytes } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { clientKey, registerKeys, systemToken } from '../suite/system-tokens';
import { type User, newClient, newUser } from '../suite/users';

const ready = readySuite();
const bulkBase = `${ready.analytics_url}/bulk-data/r4`;

/** The bytes at an address, with what the response says of them. */
async function download(url: string, headers: Record<string, string>): Promise<{ reply: Response; bytes: Buffer }> {
  const reply = await fetch(url, { headers });
  return { reply, bytes: Buffer.from(await reply.arrayBuffer()) };
}

const releases = ['dstu2', 'stu3', 'r4'] as const;

/** A file that the database has, and two that the object storage has, where there is one. */
const fileLengths = { dstu2: 300_001, stu3: 1_200_001, r4: 2_000_001 };

/** Stores a file as a Binary in its own media type, and a DocumentReference to it. */
async function storeDocument(user: User, release: (typeof releases)[number]): Promise<void> {
  const base = `${ready.base_url}/${release}`;
  const bytes = randomBytes(fileLengths[release]);
  const headers = { ...bearer(user.access_token), 'Content-Type': 'application/pdf' };
  const stored = await fetch(`${base}/Binary`, { method: 'POST', headers, body: bytes });
  const { id } = (await stored.json()) as { id: string };
  const attachment = {
    contentType: 'application/pdf',
    url: `Binary/${id}`,
    size: bytes.length,
    hash: createHash('sha1').update(bytes).digest('base64'),
  };
  const document = await http('POST', `${base}/DocumentReference`, {
    headers: bearer(user.access_token),
    json: {
      resourceType: 'DocumentReference',
      status: 'current',
      type: { text: 'Report' },
      ...(release === 'r4' ? {} : { indexed: '2026-01-02T03:04:05Z' }),
      content: [{ attachment }],
    },
  });
  expect([stored.status, document.status]).toEqual([201, 201]);
}

interface DocumentReference {
  resourceType: string;
  content: { attachment: { contentType?: string; url: string; size: number; hash: string } }[];
}

describe('attachments', () => {
  const key = clientKey('RS384');
  let user: User;
  beforeAll(async () => {
    const client = await newClient(ready, 'attachments journey');
    await registerKeys(client.client_id, key);
    user = await newUser(ready, client);
    for (const release of releases) await storeDocument(user, release);
  });

  // The requests of https://github.com/smart-on-fhir/bulk-data-client with its default settings, which is not in a
  // package registry: Backend Services, an export of Patient, the files, and the attachments of DocumentReferences by
  // their addresses relative to the FHIR base, with the media type of the attachment in Accept.
  it('are downloaded with the files of an export, as the SMART bulk-data-client does it', async () => {
    const authorization = bearer(await systemToken(ready, user.client_id, key));
    const kickOff = await http('GET', `${bulkBase}/Patient/$export?_outputFormat=application%2Ffhir%2Bndjson`, {
      headers: { ...authorization, accept: 'application/fhir+json', prefer: 'respond-async' },
    });
    expect(kickOff.status).toBe(202);
    const status = kickOff.headers.get('content-location') ?? '';
    const accept = 'application/json, text/plain';
    const whenComplete = async () => {
      const reply = await http('GET', status, { headers: { ...authorization, accept } });
      return reply.status === 202 ? undefined : reply;
    };
    const manifest = await waitUntil(whenComplete, 'the export is complete', 100);
    expect(manifest.status).toBe(200);
    const found = new Set<unknown>();
    let attachments = 0;
    for (const file of manifest.json.list('output').map((entry) => new Json(entry))) {
      const { text } = await http('GET', file.text('url'), {
        headers: { ...authorization, accept: 'application/fhir+ndjson' },
      });
      for (const line of text.split('\n').filter(Boolean)) {
        const resource = JSON.parse(line) as DocumentReference;
        if (resource.resourceType !== 'DocumentReference') continue;
        for (const { attachment } of resource.content) {
          const { reply, bytes } = await download(new URL(attachment.url, `${bulkBase}/`).href, {
            ...authorization,
            accept: attachment.contentType ?? 'application/json+fhir',
          });
          expect([reply.status, reply.headers.get('content-type'), bytes.length]).toEqual([
            200,
            attachment.contentType,
            attachment.size,
          ]);
          expect(createHash('sha1').update(bytes).digest('base64')).toBe(attachment.hash);
          found.add(file.at('extension', 'fhirVersion'));
          attachments++;
        }
      }
    }
    expect([...found].toSorted()).toEqual(['dstu2', 'r4', 'stu3']);
    expect(attachments).toBe(3);
    expect((await http('DELETE', status, { headers: authorization })).status).toBe(202);
    const [first] = manifest.json.list('output');
    expect((await http('GET', new Json(first).text('url'), { headers: authorization })).status).toBe(404);
  });

  it.each(releases)('of %s are files at the FHIR base, and under the bulk base', async (release) => {
    const headers = bearer(user.access_token);
    const base = `${ready.base_url}/${release}`;
    const found = await http('GET', `${base}/DocumentReference?_count=1`, { headers });
    const attachment = new Json(found.json.at('entry', 0, 'resource', 'content', 0, 'attachment'));
    for (const root of [base, bulkBase]) {
      const { reply, bytes } = await download(`${root}/${attachment.text('url')}`, headers);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, attachment.text('contentType')]);
      expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="Binary-[\w.-]+"$/);
      expect(createHash('sha1').update(bytes).digest('base64')).toBe(attachment.text('hash'));
    }
    const other = await newUser(ready, user);
    for (const root of [base, bulkBase])
      expect(
        (await http('GET', `${root}/${attachment.text('url')}`, { headers: bearer(other.access_token) })).status,
      ).toBe(404);
  });
});

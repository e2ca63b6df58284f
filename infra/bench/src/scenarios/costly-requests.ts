import { gzipSync } from 'node:zlib';
import type { RequestStep, Sequence } from '../load/sequence';
import { fhirHeaders } from '../people/person';
import type { BenchUser } from '../suite/users';

/** Just below the limits of fhir-store: bytes and members of a body, members of a resource, content of a Binary. */
const maxBodyBytes = 20 * 1024 * 1024 - 1000;
const maxResourceMembers = 98_000;
const maxBinaryBytes = 14_500_000;
/** The largest body that fhir-store takes for a short one. */
const shortBodyBytes = 16_000;

const repeated = (text: string, bytes: number): string =>
  Array<string>(Math.floor(bytes / (text.length + 1)))
    .fill(text)
    .join(',');

/** A List with references; each takes three members and about 40 bytes. */
export function longList(members: number, id = ''): string {
  const entries = Array.from(
    { length: Math.floor(members / 3) },
    (_, n) => `{"item":{"reference":"Observation/${n}"}}`,
  );
  return `{"resourceType":"List",${id && `"id":"${id}",`}"status":"current","mode":"working","entry":[${entries.join(',')}]}`;
}

function transaction(entries: number, noteLength: number): string {
  const note = 'a'.repeat(noteLength);
  const entry = (n: number): string =>
    `{"resource":{"resourceType":"Observation","status":"final","code":{"text":"${n}"},"note":[{"text":"${note}"}]},"request":{"method":"POST","url":"Observation"}}`;
  return `{"resourceType":"Bundle","type":"transaction","entry":[${Array.from({ length: entries }, (_, n) => entry(n)).join(',')}]}`;
}

/**
 * The requests that cost fhir-store most, by kind: bodies at the limits, which a few kilobytes of gzip can hold, and
 * reads and changes of resources at the limits.
 * @param listId a stored List of `longList`
 */
export function costlyRequests(user: BenchUser, listId: string): Map<string, Sequence> {
  const send = (method: RequestStep['method'], path: string, expect: number, body: string): Sequence => {
    const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/fhir+json';
    const encoded =
      body.length > shortBodyBytes ? { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } } : { body };
    const headers = { ...fhirHeaders(user), 'content-type': type, prefer: 'return=minimal', ...encoded.headers };
    return [{ method, path, headers, body: encoded.body, expect }];
  };
  const get = (path: string): Sequence => [{ method: 'GET', path, headers: fhirHeaders(user), expect: 200 }];
  const list = longList(maxResourceMembers);
  return new Map<string, Sequence>([
    [
      'empty objects',
      send('POST', '/r4/Basic', 413, `{"resourceType":"Basic","extension":[${repeated('{}', maxBodyBytes)}]}`),
    ],
    [
      'different names',
      send(
        'POST',
        '/r4/Basic',
        413,
        `{"resourceType":"Basic",${Array.from({ length: 120_000 }, (_, n) => `"${'x'.repeat(150)}${n}":1`).join(',')}}`,
      ),
    ],
    [
      'invalid resource',
      send('POST', '/r4/Basic', 422, `{"resourceType":"Basic","extension":[${repeated('{}', 290_000)}]}`),
    ],
    ['create', send('POST', '/r4/List', 201, list)],
    ['create with a short body', send('POST', '/r4/List', 201, longList(1000))],
    ['update', send('PUT', `/r4/List/${listId}`, 200, longList(maxResourceMembers, listId))],
    ['validation', send('POST', '/r4/List/$validate', 200, list)],
    ['transaction of many entries', send('POST', '/r4', 200, transaction(5000, 10))],
    ['transaction of many bytes', send('POST', '/r4', 200, transaction(300, 65_000))],
    ['patch', send('PATCH', `/r4/List/${listId}`, 200, '[{"op":"add","path":"/title","value":"patched"}]')],
    [
      'Binary',
      [
        {
          method: 'POST',
          path: '/r4/Binary',
          headers: { ...fhirHeaders(user), 'content-type': 'application/pdf', prefer: 'return=minimal' },
          body: Buffer.alloc(maxBinaryBytes, 1),
          expect: 201,
        },
      ],
    ],
    ['read of elements', get(`/r4/List/${listId}?_elements=status`)],
    ['search of elements', get('/r4/List?_elements=status')],
    ['large pages', get('/r4/Observation?_count=1000')],
    ['included resources', get(`/r4/List?_id=${listId}&_include=List:item`)],
    ['history', get(`/r4/List/${listId}/_history?_count=20`)],
  ]);
}

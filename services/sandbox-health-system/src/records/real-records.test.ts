import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Release } from '../releases';
import { everyPage, get, startSandbox, tokensFor, type Resource, type Running } from '../../test/smart-client';
import { recordFilesIn, type RecordFile } from './record-files';
import { recordedPeople } from './recorded-people';
import { referencesIn } from './references';

const data = process.env['TRIBUTARY_DATA'] ?? resolve(__dirname, '../../../../../shared/data');
const directory = join(data, 'records');
const present = existsSync(directory);
if (!present)
  console.warn('The published records are not here (TRIBUTARY_DATA): the sandbox is tested with made-up ones alone.');

const withoutMeta = (text: string): string =>
  text.replace(/"meta":\{("versionId":"1",)?("lastUpdated":"[^"]*",?)?(?:(})(,?))?/, '"meta":{');
const sourceLines = (file: RecordFile): string[] =>
  gunzipSync(readFileSync(file.path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');

/** Collects as an application would: every searchable type, then what the resources refer to. */
async function collected(running: Running, release: Release, username: string): Promise<Map<string, string>> {
  const { access_token: token } = await tokensFor(running, { hint: username, release });
  const metadata = JSON.parse((await get(running, `/fhir/${release}/metadata`)).body as string) as {
    rest: { resource: { type: string; interaction: { code: string }[] }[] }[];
  };
  const found = new Map<string, string>();
  for (const { type, interaction } of metadata.rest[0]!.resource) {
    if (!interaction.some(({ code }) => code === 'search-type')) continue;
    for (const resource of await everyPage(running, `/fhir/${release}/${type}?_count=500`, token))
      found.set(`${type}/${resource.id}`, JSON.stringify(resource));
  }
  const open = [...found.values()].flatMap(referencesIn);
  for (let reference = open.pop(); reference; reference = open.pop()) {
    if (found.has(reference)) continue;
    const answer = await get(running, `/fhir/${release}/${reference}`, token).set('Accept', 'application/json');
    if (answer.status !== 200) continue;
    found.set(reference, answer.body as string);
    open.push(...referencesIn(answer.body as string));
  }
  return found;
}

(present ? describe : describe.skip)('the published records', () => {
  const files = present ? recordFilesIn(directory) : [];

  it('are served whole: an application comes to exactly the resources of the file', async () => {
    const running = await startSandbox({ RECORDS_DIR: directory });
    for (const file of files) {
      const found = await collected(running, file.release, file.stem);
      const source = sourceLines(file).map((line) => JSON.parse(line) as Resource);
      expect([...found.keys()].sort()).toEqual(source.map(({ resourceType, id }) => `${resourceType}/${id}`).sort());
    }
  });

  it('keep the text of the file, but for meta', async () => {
    const people = await recordedPeople(directory);
    for (const file of files) {
      const record = (await people.find(({ username }) => username === file.stem)!.record(file.release))!;
      for (const line of sourceLines(file)) {
        const { resourceType, id, meta } = JSON.parse(line) as { resourceType: string; id: string; meta?: object };
        const { text } = record.read(resourceType, id)!;
        expect(withoutMeta(text)).toBe(meta ? withoutMeta(line) : `{"meta":{${line.slice(1)}`);
      }
    }
  });

  it('are the same records when they come as Bundles', async () => {
    const bundles = await recordedPeople(join(directory, 'r4', 'bundles'));
    expect(bundles.length).toBeGreaterThan(5);
    const lines = await recordedPeople(directory);
    for (const person of bundles.filter(({ username }) => !username.startsWith('blaze'))) {
      const fromBundle = (await person.record('r4'))!;
      const fromLines = (await lines.find(({ username }) => username === person.username)!.record('r4'))!;
      const counts = (record: typeof fromLines) =>
        record
          .types()
          .filter(({ searchable }) => searchable)
          .map(({ type }) => [type, record.list(type).length])
          .sort();
      expect(counts(fromBundle)).toEqual(counts(fromLines));
    }
  });
});

import { deflateSync, gzipSync } from 'node:zlib';
import { type Release, releases } from '@tributary/fhir-definitions';
import { type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import { realRecords } from '../../real-records';
import { ClinicRecord } from '../search/clinic-record';
import { type DumpedTable, dumpOf, inflated } from './dump';
import { PatternSet } from './find-patterns';
import { patternsOf, textsOf } from './needles';

const linesOfEach = 600;
const real = realRecords().filter(({ name }) => !name.startsWith('hl7-'));
if (real.length === 0)
  process.stderr.write('the real records are absent: a dump is searched for a small record of our own\n');

const onlyHexDigits = /^[\d a-f.+:-]*$/i;

async function store(under: FhirStoreUnderTest): Promise<Resource[]> {
  const stored: Resource[] = [];
  for (const release of releases) stored.push(...(await storeRelease(under, release)));
  return stored;
}

/**
 * One record comes from a health system, with references that wait for their targets; a part of it is created, changed
 * and deleted by the user.
 */
async function storeRelease(under: FhirStoreUnderTest, release: Release): Promise<Resource[]> {
  const user = under.user();
  const record = real.find((each) => each.release === release);
  if (!record) {
    await ClinicRecord.create(user, release);
    return user.all(`/${release}?_count=1000`);
  }
  const lines = record.lines.slice(0, linesOfEach);
  // Without the patient, so that references to them wait in the database.
  const collected = lines.filter((line) => !line.includes('"resourceType":"Patient"'));
  const { results } = await under.records.storeBatch(
    user.userId,
    { client_id: '0123', release, health_system_id: 1, fhir_base_url: 'https://ehr.example.org/fhir' },
    collected.join('\n'),
  );
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['stored']));
  const resources = lines.map((line) => parseJson(line) as Resource);
  for (const resource of resources.slice(0, 40)) {
    const created = await user.send('post', `/${release}/${resource.resourceType}`, stringifyJson(resource));
    const [, id] = /\/([-0-9a-f]{36})\/_history/.exec(String(created.headers['location'])) ?? [];
    if (id === undefined) continue;
    await user.send('put', `/${release}/${resource.resourceType}/${id}`, stringifyJson({ ...resource, id }));
    await user.send('delete', `/${release}/${resource.resourceType}/${id}`);
  }
  return resources;
}

/** Looks in a dump for what gives the texts away: `table: text (how it is written)`. */
function searchFor(texts: ReadonlySet<string>): (tables: readonly DumpedTable[]) => string[] {
  const [everywhere, inText] = [new PatternSet(), new PatternSet()];
  for (const text of texts) {
    for (const [way, bytes] of patternsOf(text)) everywhere.add(`${text} (${way})`, bytes);
    // The text form writes bytes in hex and numbers in decimals: a short text of such digits is bound to be in it.
    if (!onlyHexDigits.test(text) || text.length >= 16) inText.add(`${text} (as text)`, Buffer.from(text));
  }
  return (tables) => {
    const found = tables.flatMap(({ name, text, binary }) =>
      [...everywhere.findIn(binary), ...inText.findIn(text)].map((each) => `${name}: ${each}`),
    );
    return [
      ...found,
      ...inflated(tables).flatMap((bytes) => [...inText.findIn(bytes)].map((each) => `inflated: ${each}`)),
    ];
  };
}

describe('a stolen database', () => {
  it('discloses no stored value, in any common encoding', async () => {
    const seen: Set<string>[] = [];
    // What the search finds by chance among random bytes it will not find again under other keys.
    while (seen.length < 2 && seen.at(-1)?.size !== 0) {
      const under = await FhirStoreUnderTest.start();
      try {
        // The names of our own migrations are words too.
        const empty = await dumpOf(under.pool);
        const texts = textsOf(await store(under));
        expect(texts.size).toBeGreaterThan(real.length > 0 ? 2000 : 50);
        const tables = await dumpOf(under.pool);
        const filled = tables.filter(({ text }) => text.length > 0).map(({ name }) => name);
        const ofRecords = [
          'record',
          'resource',
          'block',
          ...(real.length > 0 ? ['resource_history', 'unresolved_reference'] : []),
        ].map((table) => `fhir_store.${table}`);
        expect(filled).toEqual(
          expect.arrayContaining(['fhir_store_keys.client_key', 'fhir_store_keys.record_key', ...ofRecords]),
        );
        const search = searchFor(texts);
        const known = new Set(search(empty));
        seen.push(new Set(search(tables).filter((giveaway) => !known.has(giveaway))));
      } finally {
        await under.stop();
      }
    }
    expect([...(seen[0] ?? [])].filter((giveaway) => seen.every((each) => each.has(giveaway)))).toEqual([]);
  });

  it('the search for values finds each encoding', () => {
    const text = 'Schmidt-Rottluff';
    const plain = Buffer.from(text);
    const bytes = (binary: Buffer): string[] =>
      searchFor(new Set([text]))([{ name: 't', text: Buffer.alloc(0), binary, sealed: [] }]).map(
        (each) => /\((.*)\)/.exec(each)?.[1] ?? each,
      );
    expect(bytes(Buffer.concat([Buffer.alloc(9), plain]))).toEqual(['plain']);
    expect(bytes(Buffer.from(plain.toString('hex')))).toEqual(['hex']);
    for (const offset of [0, 1, 2])
      expect(
        bytes(Buffer.from(Buffer.concat([Buffer.alloc(offset, 7), plain, Buffer.of(9)]).toString('base64'))),
      ).toContain(`base64 at ${offset}`);
    expect(bytes(Buffer.from(plain).reverse())).toEqual(['reversed']);
    const compressed = [gzipSync(plain), deflateSync(plain)];
    for (const stream of compressed)
      expect(bytes(Buffer.concat([Buffer.alloc(7), stream, Buffer.alloc(20)])).length).toBeGreaterThan(0);
    const date = Buffer.alloc(8);
    date.writeBigInt64LE(BigInt(Date.UTC(1931, 1, 3)));
    expect(
      searchFor(new Set(['1931-02-03']))([{ name: 't', text: Buffer.alloc(0), binary: date, sealed: [] }]),
    ).toEqual(['t: 1931-02-03 (reversed milliseconds)']);
  });
});

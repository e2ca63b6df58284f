import { deflateRawSync, gzipSync } from 'node:zlib';
import { UnsealingError } from '@tributary/key-vault';
import { CONDITION, OBSERVATION, type TestStorage, bytesOf, content, newId, openTestStorage } from '../test/storage';
import { RecordStorage } from './record-storage';
import type { ExportFile } from './export/export-file';
import { planExport } from './export/plan';
import { snapshotTime } from './export/snapshot-time';
import { streamFile } from './export/stream-file';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

const SECRETS = ['Schmidt-Rottluff', 'http://loinc.org', '8302-2', '1931-02-03', 'Observation.code', '172.5'];

/** Everything in all tables, as text. */
async function dump(): Promise<string> {
  let all = '';
  for (const table of [
    'fhir_store_keys.client_key',
    'fhir_store_keys.record_key',
    ...['record', 'resource', 'resource_history', 'block'].map((name) => `fhir_store.${name}`),
  ]) {
    const { rows } = await test.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
    all += rows.map(({ row }) => row).join('\n');
  }
  return all;
}

describe('the tables of a record', () => {
  it('contain no plain text of its resources', async () => {
    const record = test.newRecord();
    const born = Date.UTC(1931, 1, 3);
    const index = {
      terms: ['Observation.code|http://loinc.org|8302-2', 'Patient.name|schmidt-rottluff'],
      ranges: [{ name: 'Patient.birthdate', kind: 'date' as const, low: born, high: born + 86_399_999 }],
    };
    const members = `"name":"Schmidt-Rottluff","system":"http://loinc.org","code":"8302-2","born":"1931-02-03","value":172.5`;
    const id = newId();
    await record.create(OBSERVATION, id, content(members, index, 'the source of Schmidt-Rottluff'));
    await record.update(OBSERVATION, id, content(members, index));
    await record.write(
      Array.from({ length: 30 }, () => ({ typeCode: OBSERVATION, id: newId(), ...content(members, index, members) })),
    );
    await test.storage.compactRecord(record.userId);
    const text = await dump();
    expect(text).toContain(id);
    for (const secret of SECRETS) {
      const plain = Buffer.from(secret);
      expect(text).not.toContain(secret);
      expect(text.toLowerCase()).not.toContain(plain.toString('hex'));
      expect(text).not.toContain(plain.toString('base64').replace(/..?=*$/, ''));
    }
    expect(text).not.toContain(String(born));
    // No compressed stream can be seen in the sealed bytes either.
    const { rows } = await test.pool.query<{ content: Buffer }>(
      'SELECT content FROM fhir_store.block WHERE user_id = $1',
      [record.userId],
    );
    for (const { content: sealed } of rows) {
      expect(sealed.includes(gzipSync('x').subarray(0, 3))).toBe(false);
      expect(sealed.includes(deflateRawSync(Buffer.from(members)).subarray(0, 12))).toBe(false);
    }
  });

  it('have different terms and dates for the same values of another user', async () => {
    const index = { terms: ['same'], ranges: [{ name: 'date', kind: 'date' as const, low: 1, high: 2 }] };
    const [a, b] = [test.newRecord(), test.newRecord()];
    for (const record of [a, b]) await record.create(OBSERVATION, newId(), content('"a":1', index));
    const { rows } = await test.pool.query<{ blind_terms: string[]; ranges: string[] }>(
      'SELECT blind_terms, ranges FROM fhir_store.resource WHERE user_id = ANY ($1)',
      [[a.userId, b.userId]],
    );
    expect(rows[0]?.blind_terms).not.toEqual(rows[1]?.blind_terms);
    expect(rows[0]?.ranges[1]).not.toEqual(rows[1]?.ranges[1]);
  });
});

describe('a row that was moved', () => {
  async function twoLines(): Promise<{ record: ReturnType<TestStorage['newRecord']>; ids: [string, string] }> {
    const record = test.newRecord();
    const ids: [string, string] = [newId(), newId()];
    await record.write(ids.map((id) => ({ typeCode: OBSERVATION, id, ...content(`"of":"${id}"`) })));
    return { record, ids };
  }

  it('to another id does not open', async () => {
    const { record, ids } = await twoLines();
    await test.pool.query('UPDATE fhir_store.resource SET slot = 1 - slot WHERE user_id = $1', [record.userId]);
    for (const id of ids) await expect(record.read(OBSERVATION, id)).rejects.toThrow(UnsealingError);
    await expect(record.search.page({ typeCodes: [OBSERVATION], where: { op: 'all' }, limit: 5 })).rejects.toThrow(
      UnsealingError,
    );
  });

  it('to another version does not open', async () => {
    const { record, ids } = await twoLines();
    await test.pool.query('UPDATE fhir_store.resource SET version = 2 WHERE user_id = $1', [record.userId]);
    await expect(record.readVersion(OBSERVATION, ids[0], 2)).rejects.toThrow(UnsealingError);
  });

  it('to another user, type code or block does not open', async () => {
    const moves = ['user_id = user_id + 100000', `type_code = ${CONDITION}`, 'block_id = block_id + 1'];
    for (const move of moves) {
      const { record, ids } = await twoLines();
      for (const table of ['resource', 'block'])
        await test.pool.query(`UPDATE fhir_store.${table} SET ${move} WHERE user_id = $1`, [record.userId]);
      const moved = move.startsWith('user_id') ? test.storage.record(record.userId + 100_000, 'client-1') : record;
      if (moved !== record) await moved.create(CONDITION, newId(), content('"own":1'));
      const typeCode = move.startsWith('type_code') ? CONDITION : OBSERVATION;
      await expect(moved.read(typeCode, ids[0])).rejects.toThrow(UnsealingError);
      const at = await snapshotTime(test.pool);
      const [file] = await planExport(test.exported, { scope: { userId: moved.userId }, at, typeCodes: [typeCode] });
      await expect(bytesOf(streamFile(test.exported, file as ExportFile, { encoding: 'gzip' }))).rejects.toThrow(
        UnsealingError,
      );
    }
  });

  it('with the key of another record does not open', async () => {
    const [a, b] = [test.newRecord(), test.newRecord()];
    for (const record of [a, b]) await record.create(OBSERVATION, newId(), content('"a":1'));
    await test.pool.query(
      'UPDATE fhir_store_keys.record_key SET wrapped_key = (SELECT wrapped_key FROM fhir_store_keys.record_key WHERE user_id = $2) WHERE user_id = $1',
      [a.userId, b.userId],
    );
    const fresh = new RecordStorage({ pool: test.pool, kek: test.kek });
    await expect(fresh.record(a.userId, 'client-1').read(OBSERVATION, newId())).rejects.toThrow(UnsealingError);
  });
});

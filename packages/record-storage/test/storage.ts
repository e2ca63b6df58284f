import { randomBytes, randomUUID } from 'node:crypto';
import type { Condition, IndexValues } from '@tributary/fhir-search';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { createDatabase, migratedTemplate } from '@tributary/test-environment';
import { Pool } from 'pg';
import { type ExportedRecords, exportedRecords } from '../src/export/exported-records';
import { typeCodeOf } from '../src/type-codes';
import { RecordStorage, type RecordStorageOptions } from '../src/record-storage';
import { recordStorageMigrations } from '../src/schema/migrations';
import { SearchInMemory } from '../src/search/memory/search-in-memory';
import type { ResourceMatch, ResourceQuery } from '../src/search/resource-query';
import type { UserRecord } from '../src/user-record';
import type { NewContent } from '../src/write/content';

export const OBSERVATION = typeCodeOf('r4', 'Observation');
export const CONDITION = typeCodeOf('r4', 'Condition');
export const PATIENT = typeCodeOf('stu3', 'Patient');

const tables = [
  ...['record', 'resource', 'resource_history', 'block', 'claimed_id', 'compaction_queue', 'content_object'].map(
    (table) => `fhir_store.${table}`,
  ),
  ...['client_key', 'record_key'].map((table) => `fhir_store_keys.${table}`),
];

/** A record storage on a database of its own. */
export interface TestStorage {
  readonly pool: Pool;
  /** Another one after `clear`. */
  readonly storage: RecordStorage;
  /** The same records, to be exported. */
  readonly exported: ExportedRecords;
  readonly kek: LocalKeyEncryptionKey;
  /** A record of a new user. */
  newRecord(clientId?: string): UserRecord;
  /** Deletes all records and keys. It takes less time than another database, and the connections stay open. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openTestStorage({
  partitions = 0,
  ...options
}: { partitions?: number } & Pick<
  RecordStorageOptions,
  'searchedInMemoryFrom' | 'objects'
> = {}): Promise<TestStorage> {
  const migrations = recordStorageMigrations({ partitions });
  const database = await createDatabase(migratedTemplate(`record_storage_${partitions}`, migrations));
  const pool = new Pool({ connectionString: database.url, max: 16 });
  // Dropping the database ends connections that are still closing.
  pool.on('error', () => undefined);
  const kek = new LocalKeyEncryptionKey([randomBytes(32)]);
  let storage = new RecordStorage({ pool, kek, ...options });
  let users = 0;
  return {
    pool,
    get storage() {
      return storage;
    },
    kek,
    exported: exportedRecords(pool, kek, options.objects),
    newRecord: (clientId = 'client-1') => storage.record(++users, clientId),
    clear: async () => {
      await storage.close();
      await pool.query(`TRUNCATE ${tables.join()}; UPDATE fhir_store.compaction_cursor SET position = 0`);
      storage = new RecordStorage({ pool, kek, ...options });
    },
    close: async () => {
      await storage.close();
      await pool.end();
      await database.drop();
    },
  };
}

/** Storage of one process that searches in memory, and of another process that searches by SQL. */
export interface TwoProcesses {
  test: TestStorage;
  other: RecordStorage;
  close(): Promise<void>;
}

export async function openTwoProcesses(): Promise<TwoProcesses> {
  const test = await openTestStorage({ searchedInMemoryFrom: 1, partitions: 2 });
  const other = new RecordStorage({ pool: test.pool, kek: test.kek });
  return {
    test,
    other,
    close: async () => {
      await other.close();
      await test.close();
    },
  };
}

const NO_INDEX: IndexValues = { terms: [], ranges: [] };

/** Content with these JSON members. */
export function content(members: string, index: IndexValues = NO_INDEX, source?: string): NewContent {
  return { body: { meta: '', members }, index, ...(source === undefined ? {} : { source }) };
}

export function newId(): string {
  return randomUUID();
}

/** The JSON of a version as text. */
export function textOf(version: { json?: Buffer | undefined } | undefined): string | undefined {
  return version?.json?.toString('utf8');
}

/** All bytes of an export's pieces. */
export async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** The lines of NDJSON. */
export function linesOf(ndjson: Buffer): string[] {
  return ndjson.length === 0 ? [] : ndjson.toString('utf8').trimEnd().split('\n');
}

/** All current resources that match, in order, read in pages. */
export async function allMatches(
  record: UserRecord,
  query: Omit<ResourceQuery, 'limit' | 'total' | 'after'>,
  limit = 200,
): Promise<ResourceMatch[]> {
  const matches: ResourceMatch[] = [];
  let page = await record.search.page({ ...query, limit });
  for (;;) {
    matches.push(...page.matches);
    if (!page.next) return matches;
    page = await record.search.page({ ...query, limit, after: page.next });
  }
}

/** Searches type codes until they are searched in memory. */
export async function loadIntoMemory(record: UserRecord, typeCodes: readonly number[]): Promise<void> {
  for (const typeCode of typeCodes) {
    const counted = jest.spyOn(SearchInMemory.prototype, 'count');
    while (counted.mock.calls.length === 0) await record.search.count([typeCode], { op: 'all' });
    counted.mockRestore();
  }
}

/** Whether a search of Observations is carried out in memory. */
export async function isInMemory(record: UserRecord, where: Condition = { op: 'all' }): Promise<boolean> {
  const counted = jest.spyOn(SearchInMemory.prototype, 'count');
  await record.search.count([OBSERVATION], where);
  const { length } = counted.mock.calls;
  counted.mockRestore();
  return length > 0;
}

/** Deletes all blocks that were replaced before a time. @returns how many */
export async function purgeAll(storage: RecordStorage, before?: number): Promise<number> {
  const maintenance = storage.maintenance();
  let purged = 0;
  for (let some = await maintenance.purge(before); some > 0; some = await maintenance.purge(before)) purged += some;
  return purged;
}

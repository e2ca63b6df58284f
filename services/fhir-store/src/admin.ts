import { readFile } from 'node:fs/promises';
import {
  type ManagedKek,
  keyEncryptionKeyConfig,
  openKeyEncryptionKey,
  runKeysCommand,
} from '@tributary/key-providers';
import { RecordStorage, countPartitions, wrappingKeyTable } from '@tributary/record-storage';
import {
  type RecordSubjects,
  databaseConfig,
  openPool,
  readConfig,
  runAdminCommand,
  withoutTimeLimits,
} from '@tributary/service-kit';
import type { Pool } from 'pg';
import { z } from 'zod';
import { deleteUnresolvedReferences } from './collection/unresolved-references';
import { fhirStoreConfig } from './config';
import { fhirStoreSchema, migrateFhirStore } from './database/migrate';
import { partitionFhirStore } from './database/partitions';
import { exportDeletions, replayDeletions } from './deletions/deletion-list';
import { usersWithClients } from './maintenance/users-with-clients';
import { extractIndexValues } from './maintenance/reindexing';
import { runRecordCommand } from './maintenance/verify-command';

const usage = `The operator's commands of fhir-store. They need its DATABASE_URL and the variables of its key-encryption key.

  deletions export           prints the list of destroyed records
  deletions replay FILE      destroys every record of such a list (-: standard input), after a restore and before the service is started
  deletions without-key      prints the records whose key is missing from fhir_store_keys
  keys status|rotate|retire  the key-encryption key, and the keys of clients that it wraps; keys --help explains them
  record verify --user ID    verifies the blocks, the index and the history of a record; record --help explains it
  reindex status             prints how many records and about how many rows are still to be re-indexed, as JSON
  storage partition [COUNT]  moves all records into so many hash partitions (default: RECORD_PARTITIONS; 0: none), in one transaction: everything
                             waits until it ends, and when it is cut off, nothing has happened. It needs as much free disk space again
                             as the database takes. Stop fhir-store and analytics-export first
  storage status             prints how many partitions there are, and how many records wait to be compacted
`;

const { RECORD_PARTITIONS } = fhirStoreConfig.shape;
const adminConfig = z.object({ ...databaseConfig.shape, RECORD_PARTITIONS, ...keyEncryptionKeyConfig.shape });

/** Runs one operator's command. */
async function main(words: readonly string[], recordSubjects: RecordSubjects): Promise<void> {
  const recordUsers = async (pool: Pool, serviceUserIds: readonly number[]): Promise<void> =>
    recordSubjects(await usersWithClients(pool, serviceUserIds));
  const [noun, verb, file] = words;
  if (noun === 'keys')
    return withStorage(async (storage, _pool, kek) => {
      process.exitCode = await runKeysCommand(words.slice(1), {
        service: 'fhir-store',
        kek,
        keys: {
          assertKekMatches: () => storage.assertKekMatches(),
          countByVersion: () => storage.countClientKeys(),
          rewrapAll: (onKey) => storage.rewrapClientKeys(onKey),
        },
        print: (line) => process.stdout.write(`${line}\n`),
        report: (line) => process.stderr.write(`${line}\n`),
      });
    });
  if (noun === 'record') {
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    process.exitCode = await runRecordCommand(words.slice(1), { withStorage, recordUsers, print });
    return;
  }
  if (noun === undefined || noun === 'help' || words.includes('--help') || words.includes('-h')) {
    process.stdout.write(usage);
    return;
  }
  switch (`${noun} ${verb}`) {
    case 'deletions export':
      return withStorage(async (storage) => {
        for await (const lines of exportDeletions(storage)) process.stdout.write(lines);
      });
    case 'deletions replay': {
      if (file === undefined) throw new Error(usage);
      const list = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8');
      return withStorage(async (storage, pool) => {
        const destroyed = await replayDeletions(storage, list, (users) => recordUsers(pool, users));
        process.stdout.write(`${destroyed} records are destroyed\n`);
      });
    }
    case 'deletions without-key':
      return withStorage(async (storage) => {
        for await (const userId of storage.recordsWithoutKey()) process.stdout.write(`${userId}\n`);
      });
    case 'reindex status':
      return withStorage(async (storage) => {
        process.stdout.write(`${JSON.stringify(await storage.reindexing(extractIndexValues).progress())}\n`);
      });
    case 'storage partition': {
      const config = readConfig(adminConfig);
      const count = config.RECORD_PARTITIONS;
      const { data: partitions } = RECORD_PARTITIONS.safeParse(file ?? count);
      if (partitions === undefined) throw new Error('the number of partitions is a whole number from 0 to 1024');
      await migrateFhirStore(withoutTimeLimits(config), { partitions: count });
      await partitionFhirStore(config, partitions);
      process.stdout.write(`the tables have ${partitions} partitions\n`);
      return;
    }
    case 'storage status':
      return withStorage(async (storage, pool) => {
        const { records, failing } = await storage.maintenance().waiting();
        process.stdout.write(
          `${await countPartitions(pool)} partitions\n${records} records wait to be compacted, ${failing} of them after a failure\n`,
        );
      });
    default:
      throw new Error(usage);
  }
}

async function withStorage(
  work: (storage: RecordStorage, pool: Pool, kek: ManagedKek) => Promise<void>,
): Promise<void> {
  const config = readConfig(adminConfig);
  const database = withoutTimeLimits(config);
  await migrateFhirStore(database, { partitions: config.RECORD_PARTITIONS });
  const pool = openPool(database, fhirStoreSchema, { size: 4 });
  const kek = await openKeyEncryptionKey(config, {
    run: async (sql, values) => (await pool.query(sql, values)).rows as unknown[],
    table: wrappingKeyTable,
  });
  const storage = new RecordStorage({
    pool,
    kek,
    deleteDependentRows: (userIds) => deleteUnresolvedReferences(pool, userIds),
  });
  try {
    await work(storage, pool, kek);
  } finally {
    await storage.close();
    await pool.end();
  }
}

const words = process.argv.slice(2);
runAdminCommand('fhir-store', words, (recordSubjects) => main(words, recordSubjects)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'the command failed'}\n`);
  process.exitCode = 1;
});

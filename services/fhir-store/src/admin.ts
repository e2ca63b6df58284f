import { type ManagedKek, keyEncryptionKeyConfig, keysCommand } from '@tributary/key-providers';
import { objectStorageConfig, objectStorageFrom } from '@tributary/object-storage';
import { type RecordStorage, countPartitions } from '@tributary/record-storage';
import {
  type RecordSubjects,
  argument,
  databaseConfig,
  openPool,
  readConfig,
  readNamedFile,
  runAdminCommand,
  schemaCommand,
  withoutTimeLimits,
} from '@tributary/service-kit';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { z } from 'zod';
import { fhirStoreConfig } from './config';
import { fhirStoreSchema, migrateFhirStore } from './database/migrate';
import { clientKeysOf, openStorage } from './database/open-storage';
import { partitionFhirStore } from './database/partitions';
import { exportDeletions, replayDeletions } from './deletions/deletion-list';
import { usersWithClients } from './maintenance/users-with-clients';
import { extractIndexValues } from './maintenance/reindexing';
import { recordCommand } from './maintenance/verify-command';

const { RECORD_PARTITIONS, CACHED_BLOCK_MEGABYTES, EXPORT_ROLE } = fhirStoreConfig.shape;
const adminConfig = z.object({
  ...databaseConfig.shape,
  ...keyEncryptionKeyConfig.shape,
  ...objectStorageConfig.shape,
  RECORD_PARTITIONS,
  CACHED_BLOCK_MEGABYTES,
});
const schemaConfig = z.object({ ...databaseConfig.shape, RECORD_PARTITIONS, EXPORT_ROLE });

/** The operator's commands of fhir-store. */
function program(recordSubjects: RecordSubjects): Command {
  const recordUsers = async (pool: Pool, serviceUserIds: readonly number[]): Promise<void> =>
    recordSubjects(await usersWithClients(pool, serviceUserIds));
  const setExitStatus = (status: number): void => void (process.exitCode = status);
  return new Command()
    .description(
      "The operator's commands of fhir-store. They need its DATABASE_URL and the variables of its key-encryption key.",
    )
    .addCommand(deletionsCommand(recordUsers))
    .addCommand(
      keysCommand({
        withKeyring: (work) =>
          withStorage((storage, _pool, kek) => work({ service: 'fhir-store', kek, keys: clientKeysOf(storage) })),
        print,
        report: (line) => process.stderr.write(`${line}\n`),
        setExitStatus,
      }),
    )
    .addCommand(recordCommand({ withStorage, recordUsers, print, setExitStatus }))
    .addCommand(reindexCommand())
    .addCommand(storageCommand())
    .addCommand(
      schemaCommand(() => {
        const config = readConfig(schemaConfig);
        return migrateFhirStore(config, { partitions: config.RECORD_PARTITIONS, exportRole: config.EXPORT_ROLE });
      }),
    );
}

function deletionsCommand(recordUsers: (pool: Pool, serviceUserIds: readonly number[]) => Promise<void>): Command {
  const command = new Command('deletions').description('destroyed records');
  command
    .command('export')
    .description('print the list of destroyed records')
    .action(() =>
      withStorage(async (storage) => {
        for await (const lines of exportDeletions(storage)) process.stdout.write(lines);
      }),
    );
  command
    .command('replay')
    .description('destroy every record of such a list, after a restore and before the service is started')
    .argument('<file>', 'the list; -: standard input')
    .action(async (file: string) => {
      const list = readNamedFile(file === '-' ? '/dev/stdin' : file);
      await withStorage(async (storage, pool) => {
        print(`${await replayDeletions(storage, list, (users) => recordUsers(pool, users))} records are destroyed`);
      });
    });
  command
    .command('without-key')
    .description('print the records whose key is missing from fhir_store_keys')
    .action(() =>
      withStorage(async (storage) => {
        for await (const userId of storage.recordsWithoutKey()) print(String(userId));
      }),
    );
  return command;
}

function reindexCommand(): Command {
  const command = new Command('reindex').description('the index of all records');
  command
    .command('status')
    .description('print how many records and about how many rows are still to be re-indexed, as JSON')
    .action(() =>
      withStorage(async (storage) => print(JSON.stringify(await storage.reindexing(extractIndexValues).progress()))),
    );
  return command;
}

function storageCommand(): Command {
  const command = new Command('storage').description('the tables of all records');
  command
    .command('partition')
    .description(
      'move all records into so many hash partitions, in one transaction: everything waits until it ends, and when it is cut off, nothing has happened. It needs as much free disk space again as the database takes. Stop fhir-store and analytics-export first',
    )
    .argument('[count]', 'by default RECORD_PARTITIONS; 0: none', partitionsArgument)
    .action(async (count: number | undefined) => {
      const config = readConfig(adminConfig);
      const partitions = count ?? config.RECORD_PARTITIONS;
      await migrateFhirStore(withoutTimeLimits(config), { partitions: config.RECORD_PARTITIONS });
      await partitionFhirStore(config, partitions);
      print(`the tables have ${partitions} partitions`);
    });
  command
    .command('status')
    .description('print how many partitions there are, and how many records wait to be compacted')
    .action(() =>
      withStorage(async (storage, pool) => {
        const { records, failing } = await storage.maintenance().waiting();
        print(
          `${await countPartitions(pool)} partitions\n${records} records wait to be compacted, ${failing} of them after a failure`,
        );
      }),
    );
  return command;
}

const partitionsArgument = argument(
  (text) => RECORD_PARTITIONS.safeParse(text).data,
  'It must be a whole number from 0 to 1024.',
);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function withStorage(
  work: (storage: RecordStorage, pool: Pool, kek: ManagedKek) => Promise<void>,
): Promise<void> {
  const config = readConfig(adminConfig);
  const database = withoutTimeLimits(config);
  await migrateFhirStore(database, { partitions: config.RECORD_PARTITIONS });
  const pool = openPool(database, fhirStoreSchema, { size: 4 });
  const { storage, kek } = await openStorage(config, pool, { objects: await objectStorageFrom(config) });
  try {
    await work(storage, pool, kek);
  } finally {
    await storage.close();
    await pool.end();
  }
}

void runAdminCommand('fhir-store', program);

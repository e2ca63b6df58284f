import { keyEncryptionKeyConfig, keysCommand, openKeyEncryptionKey } from '@tributary/key-providers';
import { type RunSql, ScopedKeys } from '@tributary/key-vault';
import {
  databaseConfig,
  migrateDatabase,
  openDatabase,
  readConfig,
  runAdminCommand,
  schemaCommand,
} from '@tributary/service-kit';
import { Command } from 'commander';
import { z } from 'zod';
import { migrations } from './checkpoints/migrations';
import { databaseSchema, serviceName, wrappingKeyTable } from './config';

const adminConfig = z.object({ ...databaseConfig.shape, ...keyEncryptionKeyConfig.shape });

const options = { schema: databaseSchema, entities: [], migrations };

/** The operator's commands of ingestion-worker. */
function program(): Command {
  return new Command()
    .description("The operator's commands of ingestion-worker.")
    .addCommand(
      keysCommand({
        withKeyring: async (work) => {
          const config = readConfig(adminConfig);
          const database = await openDatabase({ database: config, ...options });
          try {
            const run: RunSql = (sql, values) => database.query(sql, values);
            const kek = await openKeyEncryptionKey(config, { run, table: wrappingKeyTable });
            await work({ service: serviceName, kek, keys: new ScopedKeys({ run, kek }) });
          } finally {
            await database.destroy();
          }
        },
        print: (line) => process.stdout.write(`${line}\n`),
        report: (line) => process.stderr.write(`${line}\n`),
        setExitStatus: (status) => (process.exitCode = status),
      }),
    )
    .addCommand(schemaCommand(() => migrateDatabase({ database: readConfig(databaseConfig), ...options })));
}

void runAdminCommand(serviceName, program);

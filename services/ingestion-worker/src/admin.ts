import { keyEncryptionKeyConfig, openKeyEncryptionKey, runKeysCommand } from '@tributary/key-providers';
import { type RunSql, ScopedKeys } from '@tributary/key-vault';
import { databaseConfig, openDatabase, readConfig, runAdminCommand } from '@tributary/service-kit';
import { z } from 'zod';
import { migrations } from './checkpoints/migrations';
import { databaseSchema, serviceName, wrappingKeyTable } from './config';

const adminConfig = z.object({ ...databaseConfig.shape, ...keyEncryptionKeyConfig.shape });

/** Runs one operator's command; there is only `keys`. @returns the exit status */
async function main([noun, ...words]: readonly string[]): Promise<number> {
  if (noun !== 'keys') throw new Error(`The operator's command of ingestion-worker is keys; keys --help explains it`);
  const config = readConfig(adminConfig);
  const database = await openDatabase({ database: config, schema: databaseSchema, entities: [], migrations });
  try {
    const run: RunSql = (sql, values) => database.query(sql, values);
    const kek = await openKeyEncryptionKey(config, { run, table: wrappingKeyTable });
    return await runKeysCommand(words, {
      service: serviceName,
      kek,
      keys: new ScopedKeys({ run, kek }),
      print: (line) => process.stdout.write(`${line}\n`),
      report: (line) => process.stderr.write(`${line}\n`),
    });
  } finally {
    await database.destroy();
  }
}

const words = process.argv.slice(2);
runAdminCommand(serviceName, words, async () => {
  process.exitCode = await main(words);
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'the command failed'}\n`);
  process.exitCode = 1;
});

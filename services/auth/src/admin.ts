import { databaseConfig, flag, readConfig } from '@tributary/service-kit';
import { z } from 'zod';
import { clientCommands } from './clients/client-commands';
import { openAuthDatabase } from './database/auth-database';
import { ClientApplications } from './clients/client-applications';

/** Runs one command of the operator on the database that DATABASE_URL names. */
async function main(): Promise<void> {
  const commands = clientCommands({
    withClients: async (work) => {
      const source = await openAuthDatabase(readConfig(databaseConfig));
      try {
        return await work(new ClientApplications(source));
      } finally {
        await source.destroy();
      }
    },
    print: (text) => process.stdout.write(`${text}\n`),
    sandboxMode: readConfig(z.object({ SANDBOX_MODE: flag })).SANDBOX_MODE,
  });
  await commands.parseAsync(process.argv);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'the command failed'}\n`);
  process.exitCode = 1;
});

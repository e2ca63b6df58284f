import { Command } from 'commander';
import type { MigratedSchema } from './migrate';

/**
 * `schema migrate`, which lets migrations run before any replica of a service starts.
 * @param migrate brings the schema of the service up to date, as its start does
 */
export function schemaCommand(migrate: () => Promise<MigratedSchema>): Command {
  const command = new Command('schema').description('the tables of the service');
  command
    .command('migrate')
    .description('bring the tables to the version of this software, as the start of the service does')
    .action(async () => {
      const { schema, version, applied } = await migrate();
      process.stdout.write(`the schema ${schema} is at version ${version}; migrations applied: ${applied}\n`);
    });
  return command;
}

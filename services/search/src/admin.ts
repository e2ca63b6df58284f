import { databaseConfig, readConfig, runAdminCommand, schemaCommand } from '@tributary/service-kit';
import { Command } from 'commander';
import { directoryCommand } from './admin/directory-command';
import { migrateSearchDatabase } from './directory/migrations';

void runAdminCommand('search', () =>
  new Command()
    .description(
      'Operates the directory of health systems. DATABASE_URL names the database; SANDBOX_MODE=true allows http and private addresses.',
    )
    .addCommand(directoryCommand())
    .addCommand(schemaCommand(() => migrateSearchDatabase(readConfig(databaseConfig)))),
);

import { databaseConfig, readConfig, runAdminCommand, schemaCommand } from '@tributary/service-kit';
import { Command } from 'commander';
import { serviceName } from './app';
import { migrateExportDatabase } from './database/export-database';

void runAdminCommand(serviceName, () =>
  new Command()
    .description("The operator's commands of analytics-export.")
    .addCommand(schemaCommand(() => migrateExportDatabase(readConfig(databaseConfig)))),
);

import { runAdminCommand } from '@tributary/service-kit';
import { adminProgram } from './admin-program';
import { serviceName } from './config';

void runAdminCommand(serviceName, (recordSubjects) =>
  adminProgram((line) => process.stdout.write(`${line}\n`), process.env, recordSubjects),
);

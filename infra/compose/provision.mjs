// Runs once before the services start: creates the database, the roles and the schemas.
import { provisionWhenReachable, readProvisionSettings } from '@tributary/postgres';

try {
  const { server, passwords, options } = readProvisionSettings(process.env);
  await provisionWhenReachable(server, passwords, options);
  process.stdout.write('the database is ready\n');
} catch (error) {
  process.stderr.write(`the database cannot be provisioned: ${error.message}\n`);
  process.exitCode = 1;
}

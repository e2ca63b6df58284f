// Runs an operator's command in the container of the service that executes it:
//   node infra/compose/admin.mjs client list
import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { adminProgram, asksForHelp, joinedStatus } from '@tributary/local';

const name = 'node infra/compose/admin.mjs';
const operator = process.env.AUDIT_OPERATOR ?? userInfo().username;
const environment = ['--env', `AUDIT_OPERATOR=${operator}`, '--env', `ADMIN_PROGRAM=${name}`];
await adminProgram(name, async (services, words) => {
  const statuses = services.slice(0, asksForHelp(words) ? 1 : services.length).map(
    (service) =>
      spawnSync('docker', ['compose', 'exec', '-T', ...environment, service, 'tributary', ...words], {
        stdio: 'inherit',
        cwd: new URL('../..', import.meta.url),
      }).status ?? 1,
  );
  process.exitCode = joinedStatus(statuses);
}).parseAsync();

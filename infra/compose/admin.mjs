// Runs an operator's command in the container of the service that executes it:
//   node infra/compose/admin.mjs client list
import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { adminCommands, adminHelp, joinedStatus } from '@tributary/local';

const words = process.argv.slice(2);
const services = adminCommands[words[0]]?.services;
if (!services) {
  process.stderr.write(adminHelp());
  process.exit(2);
}
const operator = process.env.AUDIT_OPERATOR ?? userInfo().username;
const statuses = services.map(
  (service) =>
    spawnSync(
      'docker',
      ['compose', 'exec', '-T', '--env', `AUDIT_OPERATOR=${operator}`, service, 'tributary', ...words],
      {
        stdio: 'inherit',
        cwd: new URL('../..', import.meta.url),
      },
    ).status ?? 1,
);
process.exit(joinedStatus(statuses));

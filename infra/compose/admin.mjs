// Runs an operator's command in the container of the service that executes it:
//   node infra/compose/admin.mjs client list
import { spawnSync } from 'node:child_process';
import { adminCommands, adminHelp } from '@tributary/local';

const words = process.argv.slice(2);
const service = adminCommands[words[0]]?.service;
if (!service) {
  process.stderr.write(adminHelp());
  process.exit(2);
}
const { status } = spawnSync('docker', ['compose', 'exec', '-T', service, 'tributary', ...words], {
  stdio: 'inherit',
  cwd: new URL('../..', import.meta.url),
});
process.exit(status ?? 1);

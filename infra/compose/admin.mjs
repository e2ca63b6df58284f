// An operator's command in the container of the service it belongs to: node infra/compose/admin.mjs client list
import { spawnSync } from 'node:child_process';

const services = {
  client: 'auth',
  directory: 'search',
  registration: 'user-management',
  connection: 'user-management',
  deletions: 'fhir-store',
  reindex: 'fhir-store',
  storage: 'fhir-store',
};
const words = process.argv.slice(2);
const service = services[words[0]];
if (!service) {
  process.stderr.write(`name a command: ${Object.keys(services).join(', ')}\n`);
  process.exit(2);
}
const { status } = spawnSync(
  'docker',
  ['compose', 'exec', '-T', service, 'npm', 'run', '--silent', 'admin', '--', ...words],
  { stdio: ['ignore', 'inherit', 'inherit'], cwd: new URL('../..', import.meta.url) },
);
process.exit(status ?? 1);

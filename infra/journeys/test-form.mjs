// Runs the journeys against the suite in another form: `node test-form.mjs FORM`, where FORM is tls (npm run test:tls),
// redis-cluster, redis-sentinel, object-storage, pgbouncer or read-replica. Further words go to jest, such as the name
// of a journey.
// With --representative it runs a few journeys that together use every service and every kind of connection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepare, repository } from '../local/bootstrap.mjs';
import { isRepresentative, selectedJourneys } from './selected-journeys.mjs';

const [form] = process.argv.splice(2, 1);
prepare();
const { forms, startSuite } = createRequire(import.meta.url)('./start-suite.js');
if (!Object.hasOwn(forms, form ?? '')) throw new Error(`the form must be one of ${Object.keys(forms).join(', ')}`);
const { TRIBUTARY_CERTIFICATES: _, ...environment } = process.env;
const words = selectedJourneys([
  ...(form === 'tls' ? ['tls'] : []),
  ...(form === 'object-storage' ? ['attachments'] : []),
  'sign-in',
  'records',
  'export',
  'mcp',
  'health-systems',
]);
const suite = await startSuite(form, isRepresentative ? 'representative' : 'all');
let status = 1;
try {
  // Node.js reads further authorities only when a process starts: so the suite is started first.
  const authority = suite.ready.ca_file;
  const jest = spawn(process.execPath, [join(repository, 'node_modules', 'jest', 'bin', 'jest.js'), ...words], {
    cwd: join(repository, 'infra', 'journeys'),
    env: {
      ...environment,
      ...suite.variables,
      ...(authority && { NODE_EXTRA_CA_CERTS: authority, CURL_CA_BUNDLE: authority, SSL_CERT_FILE: authority }),
      TEST_SUMMARY_SUFFIX: ` in the form ${form}`,
    },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
  [status] = await once(jest, 'exit');
} finally {
  await suite.stop();
}
process.exit(status ?? 1);

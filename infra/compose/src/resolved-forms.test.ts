import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type ComposeFile, readComposeFile, settingsIn, testProductionForm } from '../test/compose-file';

const repository = join(__dirname, '..', '..', '..');

/** What `docker compose config` makes of the files. */
function resolved(environment: Record<string, string>): ComposeFile {
  const { status, stdout, stderr } = spawnSync('docker', ['compose', 'config', '--format', 'json'], {
    cwd: repository,
    env: { PATH: process.env['PATH'], DOCKER_CONFIG: process.env['DOCKER_CONFIG'], ...environment },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return readComposeFile(stdout);
}

describe('the production form that compose resolves', () =>
  testProductionForm(resolved(settingsIn('infra/compose/production.env'))));

it('the development form that compose resolves has the sandbox, and no certificate', () => {
  const { services } = resolved(settingsIn('infra/compose/development.env'));
  expect(Object.keys(services)).toEqual(
    expect.arrayContaining(['sandbox-health-system', 'sandbox-mail', 'registration', 'directory']),
  );
  for (const [name, { environment }] of Object.entries(services))
    expect([name, environment['TLS_CERTIFICATE_FILE'] ?? '']).toEqual([name, '']);
});

it('without settings, compose resolves the production form', () =>
  expect(Object.keys(resolved({}).services)).not.toContain('sandbox-health-system'));

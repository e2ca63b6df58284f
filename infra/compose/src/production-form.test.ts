import { spawnSync } from 'node:child_process';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readComposeFile, readRepositoryFile, testProductionForm } from '../test/compose-file';

const repository = join(__dirname, '..', '..', '..');
const production = readComposeFile(readRepositoryFile('docker-compose.yml'));
const sandbox = readComposeFile(readRepositoryFile('infra/compose/sandbox.yml'));
const development = readComposeFile(readRepositoryFile('infra/compose/development.yml'));

describe('the production form', () => testProductionForm(production));

describe('the development form', () => {
  it('takes back every certificate and every address over TLS of the production form', () => {
    for (const name of Object.keys({ ...production.services, ...sandbox.services })) {
      const changed = Object.assign(
        {},
        ...[production, sandbox, development].map(({ services }) => services[name]?.environment),
      ) as Record<string, string>;
      const ofTls = Object.entries(changed).filter(
        ([variable, value]) =>
          !['', 'false'].includes(value) &&
          (/TLS|_CA_/.test(variable) || /^(?:https|rediss):/.test(value) || value.includes('ca.crt')),
      );
      expect([name, ofTls]).toEqual([name, []]);
    }
  });

  it('is reached from this machine alone, and has no password', () => {
    const ports = Object.values(development.services).flatMap((service) => service.ports);
    expect(ports).toHaveLength(5);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(JSON.stringify([sandbox, development])).not.toMatch(
      /:\/\/[^/"@{}]*:[^/"@{}]*@|_(?:PASSWORD|SECRET)"|PASSWORD:-/,
    );
  });
});

describe('the certificates of a host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are issued to each container for its own name, again on each run', () => {
    const issue = (): string => {
      const script = join(repository, 'infra', 'compose', 'issue-certificates.sh');
      const { status, stderr } = spawnSync('sh', [script, folder, 'api.example.org'], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return readFileSync(join(folder, 'ca.crt'), 'utf8');
    };
    const first = issue();
    const authority = new X509Certificate(issue());
    expect(authority.toString()).not.toBe(first);
    const files = readdirSync(folder).sort();
    // The key of the authority is not kept.
    expect(files).not.toContain('ca.key');
    const withCertificate = Object.entries(production.services)
      .filter(([, one]) => JSON.stringify(one).includes('/run/secrets/tributary/tls.crt'))
      .map(([name]) => name)
      .concat('sandbox-health-system');
    expect(files.filter((file) => file.endsWith('.key'))).toEqual(
      [...withCertificate, 'public'].map((name) => `${name}.key`).sort(),
    );
    for (const name of [...withCertificate, 'public']) {
      const certificate = new X509Certificate(readFileSync(join(folder, `${name}.crt`)));
      expect([name, certificate.verify(authority.publicKey), certificate.ca]).toEqual([name, true, false]);
      expect(certificate.checkHost(name === 'public' ? 'api.example.org' : name)).toBeDefined();
      expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(join(folder, `${name}.key`))))).toBe(true);
    }
  });

  const makeSecrets = (environment: NodeJS.ProcessEnv): { status: number | null; stderr: string } => {
    const { status, stderr } = spawnSync(process.execPath, [join(repository, 'infra', 'compose', 'secrets.mjs')], {
      env: { PATH: process.env['PATH'], SECRETS_DIR: join(folder, 'none'), ...environment },
      encoding: 'utf8',
    });
    return { status, stderr };
  };
  const addresses = Object.fromEntries(
    ['BASE_URL', 'AUTH_URL', 'SEARCH_URL', 'ANALYTICS_URL'].map((name) => [name, 'https://api.example.org']),
  );

  it('and the public addresses are required before anything is written', () => {
    const missing = makeSecrets({});
    expect(missing.status).toBe(1);
    for (const name of Object.keys(addresses)) expect(missing.stderr).toMatch(new RegExp(`${name} .*: is not set`));
    expect(makeSecrets({ ...addresses, AUTH_URL: 'http://api.example.org' })).toEqual({
      status: 1,
      stderr: expect.stringContaining('AUTH_URL: is not encrypted'),
    });
    expect(makeSecrets({ ...addresses, TLS_DIR: '/nowhere' })).toEqual({
      status: 1,
      stderr: expect.stringMatching(/ca\.crt cannot be read[^]*auth\.key cannot be read[^]*public\.crt cannot be read/),
    });
    writeFileSync(join(folder, 'auth.key'), readFileSync(join(folder, 'search.key')));
    expect(makeSecrets({ ...addresses, TLS_DIR: folder }).stderr).toContain('auth.key is not the key of auth.crt');
    expect(readdirSync(folder)).not.toContain('none');
  });
});

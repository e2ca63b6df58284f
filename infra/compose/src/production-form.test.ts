import { spawnSync } from 'node:child_process';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const repository = join(__dirname, '..', '..', '..');
const text = (name: string): string => readFileSync(join(repository, name), 'utf8');

const names = z.union([z.array(z.string()), z.record(z.string(), z.unknown()).transform((map) => Object.keys(map))]);
const service = z.looseObject({
  environment: z.record(z.string(), z.coerce.string()).default({}),
  networks: names.default([]),
  network_mode: z.string().optional(),
  ports: z.array(z.unknown()).default([]),
  depends_on: names.default([]),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  mem_limit: z.coerce.string().optional(),
  cpus: z.coerce.number().optional(),
  pids_limit: z.number().optional(),
  logging: z.object({ driver: z.string(), options: z.record(z.string(), z.coerce.string()) }).optional(),
});
const composeFile = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.looseObject({ internal: z.boolean().optional() }).nullable()).default({}),
});
type ComposeFile = z.output<typeof composeFile>;

const read = (content: string): ComposeFile => composeFile.parse(parse(content, { merge: true }));
const production = read(text('docker-compose.yml'));
const development = read(text('infra/compose/development.yml'));

const settingsIn = (file: string): Record<string, string> =>
  Object.fromEntries([...text(file).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));

const resolvedProduction = (): ComposeFile | undefined => resolved(settingsIn('infra/compose/production.env'));

/** What `docker compose config` makes of the files; undefined where there is no compose. */
function resolved(environment: Record<string, string>): ComposeFile | undefined {
  const { status, stdout, stderr, error } = spawnSync('docker', ['compose', 'config', '--format', 'json'], {
    cwd: repository,
    env: { PATH: process.env['PATH'], DOCKER_CONFIG: process.env['DOCKER_CONFIG'], ...environment },
    encoding: 'utf8',
  });
  if (error || /is not a docker command|unknown flag/.test(stderr)) return undefined;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return composeFile.parse(JSON.parse(stdout));
}

describe.each<[string, () => ComposeFile | undefined]>([
  ['docker-compose.yml', () => production],
  ['docker compose config with production.env', resolvedProduction],
])('the production form, in %s', (_from, form) => {
  const found = form();
  const test = found ? it : it.skip;
  const services = Object.entries(found?.services ?? {});

  test('has no address without TLS, and no password', () => {
    const environments = JSON.stringify(services.map(([, { environment }]) => environment));
    expect(environments).not.toMatch(/(?<![a-z])(?:http|redis):\/\//);
    expect(environments).not.toMatch(/:\/\/[^/"@]*:[^/"@]*@/);
    for (const [name, { environment }] of services)
      for (const [variable, value] of Object.entries(environment)) {
        if (/(?:PASSWORD|SECRET|KEY|KEYS)$/.test(variable)) expect(`${name} ${variable}`).toBe('given as a file');
        if (variable === 'SANDBOX_MODE') expect([name, value]).toEqual([name, 'false']);
      }
  });

  test('has no part that is for development only', () => {
    for (const name of ['sandbox-health-system', 'registration', 'directory'])
      expect(services.map(([each]) => each)).not.toContain(name);
  });

  test('limits memory, processors, processes and logs of every container', () => {
    for (const [name, { mem_limit, cpus, pids_limit, logging }] of services)
      expect([name, mem_limit, cpus, pids_limit, logging]).toEqual([
        name,
        expect.stringMatching(/^\d+[mg]?$/),
        expect.any(Number),
        expect.any(Number),
        { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
      ]);
  });

  test('confines every container, and gives those that stay time to end', () => {
    for (const [name, { read_only, cap_drop, restart, stop_grace_period }] of services) {
      expect([name, read_only, cap_drop]).toEqual([name, true, ['ALL']]);
      const isJob = ['secrets', 'provision'].includes(name);
      expect([name, restart, stop_grace_period !== undefined]).toEqual(
        isJob ? [name, undefined, false] : [name, 'unless-stopped', true],
      );
    }
  });

  test('lets only the gateway be reached from outside', () => {
    expect(services.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual(['gateway']);
    expect(services.filter(([, { networks }]) => networks.includes('public')).map(([name]) => name)).toEqual([
      'gateway',
    ]);
    const internal = Object.entries(found?.networks ?? {}).filter(([, network]) => network?.internal);
    expect(internal.map(([name]) => name).sort()).toEqual(['data', 'services']);
    for (const name of ['postgres', 'redis', 'provision'])
      expect([name, found?.services[name]?.networks]).toEqual([name, ['data']]);
    expect(found?.services['gateway']?.networks).not.toContain('data');
    expect(found?.services['secrets']?.network_mode).toBe('none');
    for (const [name, { networks, network_mode }] of services)
      expect([name, networks.length > 0 || network_mode === 'none']).toEqual([name, true]);
  });
});

describe('the development form', () => {
  it('is what compose reads without settings of a host', () => {
    expect(settingsIn('.env')['COMPOSE_FILE']).toBe('docker-compose.yml:infra/compose/development.yml');
  });

  const found = resolved({});
  (found ? it : it.skip)('has the sandbox, and no certificate', () => {
    const services = found?.services ?? {};
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(['sandbox-health-system', 'registration', 'directory']),
    );
    for (const [name, { environment }] of Object.entries(services))
      expect([name, environment['TLS_CERTIFICATE_FILE'] ?? '']).toEqual([name, '']);
  });

  it('takes back every certificate and every address over TLS of the production form', () => {
    for (const [name, { environment }] of Object.entries(production.services)) {
      const changed = { ...environment, ...development.services[name]?.environment };
      const ofTls = Object.entries(changed).filter(
        ([variable, value]) =>
          value !== '' && (/TLS|_CA_/.test(variable) || /^(?:https|rediss):/.test(value) || value.includes('ca.crt')),
      );
      expect([name, ofTls]).toEqual([name, []]);
    }
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
      .map(([name]) => name);
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

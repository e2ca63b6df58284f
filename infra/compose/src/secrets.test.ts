import { spawn, spawnSync } from 'node:child_process';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificates } from '@tributary/certificates';
import { readComposeFile, readRepositoryFile } from '../test/compose-file';

const repository = join(__dirname, '..', '..', '..');
const production = readComposeFile(readRepositoryFile('docker-compose.yml'));

/** Options of Node with which a program finds functions of node:fs changed. */
function withChanged(statements: string): string {
  const source = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; ${statements} syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
}

describe('the secrets that are printed for Kubernetes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'printed-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const print = (changed: string, redisHost = 'redis.example.org') => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(repository, 'infra', 'compose', 'kubernetes-secrets.mjs')],
      {
        env: {
          PATH: process.env['PATH'],
          SECRETS_DIR: folder,
          POSTGRES_HOST: 'postgres.example.org',
          REDIS_HOST: redisHost,
          NODE_OPTIONS: withChanged(changed),
        },
        encoding: 'utf8',
      },
    );
    return { status, stdout, stderr };
  };
  const made = (): string[] => readdirSync(join(folder, 'made'));

  it('leave no secret behind that could not be kept', () => {
    const { status, stderr } = print("fs.renameSync = () => { throw new Error('the disk is full'); };");
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('the disk is full') });
    expect(made()).toEqual([]);
  });

  it('have all servers of Redis', () => {
    const { items } = JSON.parse(print('', 'one,two').stdout) as { items: { stringData: Record<string, string> }[] };
    expect(items[0]!.stringData['redis-url']).toBe('rediss://auth@one:6379,two:6379');
  });

  it('are made by a user whose group has another number, who may give no file away', () => {
    expect(print("fs.chownSync = () => { throw new Error('not permitted'); };")).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(made()).toContain('service-key-auth');
    for (const name of made()) expect([name, statSync(join(folder, 'made', name)).mode & 0o777]).toEqual([name, 0o600]);
  });
});

describe('the certificates of a host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const issue = (): string => {
    const script = join(repository, 'infra', 'compose', 'issue-certificates.sh');
    const { status, stderr } = spawnSync('sh', [script, folder, 'api.example.org'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return readFileSync(join(folder, 'ca.crt'), 'utf8');
  };
  const withCertificate = Object.entries(production.services)
    .filter(([, one]) => JSON.stringify(one).includes('/run/secrets/tributary/tls.crt'))
    .map(([name]) => name);

  it('are issued to each container for its own name, again on each run', () => {
    const first = issue();
    const authority = new X509Certificate(issue());
    expect(authority.toString()).not.toBe(first);
    const files = readdirSync(folder).sort();
    // The key of the authority is not kept.
    expect(files).not.toContain('ca.key');
    const keys = files.filter((file) => file.endsWith('.key'));
    expect(keys).toEqual(
      [...withCertificate, 'public', 'sandbox-health-system', 'sandbox-mail'].map((name) => `${name}.key`).sort(),
    );
    for (const key of keys) expect([key, statSync(join(folder, key)).mode & 0o777]).toEqual([key, 0o600]);
    for (const name of [...withCertificate, 'public']) {
      const certificate = new X509Certificate(readFileSync(join(folder, `${name}.crt`)));
      expect([name, certificate.verify(authority.publicKey), certificate.ca]).toEqual([name, true, false]);
      expect(certificate.checkHost(name === 'public' ? 'api.example.org' : name)).toBeDefined();
      expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(join(folder, `${name}.key`))))).toBe(true);
    }
  });

  it('are of the first authority of ca.crt, which trusts the one before it, too, until it expires', async () => {
    const isTrusted = (certificate: string): boolean =>
      spawnSync('openssl', ['verify', '-CAfile', join(folder, 'ca.crt'), join(folder, certificate)]).status === 0;
    const certificatesIn = (bundle: string): string[] =>
      bundle.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
    const issueAndKeep = (name: string): string => {
      const authorities = issue();
      cpSync(join(folder, 'auth.crt'), join(folder, name));
      return authorities;
    };
    const [first] = certificatesIn(issueAndKeep('first.pem'));
    const [second, ...beforeSecond] = certificatesIn(issueAndKeep('second.pem'));
    expect(beforeSecond).toEqual([first]);
    expect(['first.pem', 'second.pem'].map(isTrusted)).toEqual([true, true]);
    const [, ...beforeThird] = certificatesIn(issue());
    expect(beforeThird).toEqual([second]);
    expect(['first.pem', 'second.pem', 'auth.crt'].map(isTrusted)).toEqual([false, true, true]);
    writeFileSync(join(folder, 'ca.crt'), (await issueCertificates({}, -1)).authority);
    expect(certificatesIn(issue())).toHaveLength(1);
  });

  const job = [join(repository, 'infra', 'compose', 'secrets.mjs')];
  const environmentOf = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    SECRETS_DIR: join(folder, 'none'),
    ...environment,
  });
  const makeSecrets = (environment: NodeJS.ProcessEnv): { status: number | null; stderr: string } => {
    const { status, stderr } = spawnSync(process.execPath, job, { env: environmentOf(environment), encoding: 'utf8' });
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

  it('are refused when an authority in ca.crt has not issued them, or the public one is not for a public address', async () => {
    const problemsOf = (changed: NodeJS.ProcessEnv = {}): string[] =>
      makeSecrets({ ...addresses, TLS_DIR: folder, ...changed })
        .stderr.split('\n  ')
        .slice(1)
        .map((line) => line.trim());
    const elsewhere = { AUTH_URL: 'https://auth.example.org:8443', SEARCH_URL: 'https://192.0.2.1' };
    const foreignNames = ['auth.example.org', '192.0.2.1'].map((name) => `public.crt is not for the name ${name}`);
    const issued = issue();
    expect(problemsOf(elsewhere)).toEqual(foreignNames);
    writeFileSync(join(folder, 'ca.crt'), issued.slice(0, 200));
    expect(problemsOf()).toEqual(['ca.crt is not in PEM']);
    writeFileSync(join(folder, 'ca.crt'), (await issueCertificates({})).authority);
    expect(problemsOf().sort()).toEqual(
      withCertificate.map((name) => `${name}.crt is not of an authority in ca.crt`).sort(),
    );

    // Of an intermediate authority, whose certificate is behind that of the service.
    const make = (name: string, ...words: string[]): string => {
      const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)];
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      const { status, stderr } = spawnSync(
        'openssl',
        ['req', '-x509', '-subj', `/CN=${name}`, ...key, ...files, ...words],
        { encoding: 'utf8' },
      );
      expect({ status, stderr }).toMatchObject({ status: 0 });
      return readFileSync(join(folder, `${name}.crt`), 'utf8');
    };
    const by = (name: string): string[] => ['-CA', join(folder, `${name}.crt`), '-CAkey', join(folder, `${name}.key`)];
    const root = make('root');
    const intermediate = make('intermediate', ...by('root'));
    const leaf = make('auth', ...by('intermediate'), '-addext', 'subjectAltName=DNS:auth');
    writeFileSync(join(folder, 'ca.crt'), issued + root);
    expect(problemsOf(elsewhere)).toEqual(['auth.crt is not of an authority in ca.crt', ...foreignNames]);
    writeFileSync(join(folder, 'auth.crt'), leaf + intermediate);
    expect(problemsOf(elsewhere)).toEqual(foreignNames);
  });

  it('are given to the containers after all of them have read their authority', async () => {
    const secrets = join(folder, 'secrets');
    const anchors = join(folder, 'anchors');
    mkdirSync(anchors);
    const environment = {
      ...addresses,
      TLS_DIR: folder,
      SECRETS_DIR: secrets,
      ANCHORS_DIR: anchors,
      // The test is not always run by root, who alone gives files to others.
      NODE_OPTIONS: withChanged('fs.chownSync = () => {};'),
    };
    const given = (name: string): Set<string> =>
      new Set(withCertificate.map((container) => readFileSync(join(secrets, container, name), 'utf8')));
    const issued = (name: string): string => readFileSync(join(folder, name), 'utf8');

    issue();
    expect(makeSecrets(environment)).toEqual({ status: 0, stderr: '' });
    expect(given('tls.crt')).toEqual(new Set(withCertificate.map((name) => issued(`${name}.crt`))));
    expect(readFileSync(join(secrets, 'console', 'smtp-url'), 'utf8')).toBe('');
    const before = given('tls.crt');

    issue();
    const waiting = spawn(process.execPath, job, {
      env: environmentOf(environment),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(waiting.stdout, 'data')) as [Buffer];
    expect(line.toString()).toContain('the certificates follow');
    expect(given('ca.crt')).toEqual(new Set([issued('ca.crt')]));
    expect(given('tls.crt')).toEqual(before);
    waiting.kill();
    await once(waiting, 'exit');

    // It goes on where it was stopped, here after the time.
    const past = Date.now() / 1000 - 20;
    for (const container of withCertificate) utimesSync(join(secrets, container, 'ca.crt'), past, past);
    expect(makeSecrets(environment)).toEqual({ status: 0, stderr: '' });
    expect(given('tls.crt')).toEqual(new Set(withCertificate.map((name) => issued(`${name}.crt`))));

    // The operator names the mail server in a file among the secrets.
    writeFileSync(join(secrets, 'made', 'smtp-url'), 'smtps://user:password@mail.example.org:465\n');
    expect(makeSecrets(environment)).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(join(secrets, 'console', 'smtp-url'), 'utf8')).toBe(
      'smtps://user:password@mail.example.org:465',
    );

    // While the password of the superuser is replaced, PostgreSQL gets the last one, and the job that sets it both.
    const made = join(secrets, 'made', 'postgres-password');
    writeFileSync(made, `${readFileSync(made, 'utf8')}\nthe next one\n`);
    expect(makeSecrets(environment)).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(join(secrets, 'postgres', 'postgres-password'), 'utf8')).toBe('the next one');
    expect(readFileSync(join(secrets, 'provision', 'superuser-password'), 'utf8')).toMatch(/^.{43}\nthe next one$/);
  });
});

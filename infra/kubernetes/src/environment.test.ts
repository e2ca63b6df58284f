import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeServices, readRepositoryFile } from '../test/compose-form';
import { render } from '../test/helm';
import { type Pod, podsOf } from '../test/pods';
import { NetworkPolicies } from '../test/policies';
import { type PrintedSecrets, printSecrets, readSecrets } from '../test/printed-secrets';

const objects = render('tributary', 'smallest');
const pods = podsOf(objects);
const names = [...pods.keys()];
const podOf = (name: string): Pod => pods.get(name)!;
const secretsPath = '/run/secrets/tributary/';

/** The services that the settings of one name, by the end of the variable. */
function namedBy(service: string, ending: string): string[] {
  const config = readRepositoryFile('services', service, 'src', 'config.ts');
  return [...new Set([...config.matchAll(new RegExp(`\\b([A-Z_]*)${ending}: `, 'g'))].map(([, name]) => name!))];
}

describe.each(names)('the variables of %s', (name) => {
  const { environment, kind } = podOf(name);
  const { environment: ofCompose } = composeServices[name]!;
  /** What the images of compose have by default, and Kubernetes needs to be different. */
  const changed =
    name === 'gateway'
      ? [...readRepositoryFile('infra', 'gateway', 'haproxy.cfg').matchAll(/"\$\{(\w+_ADDRESS)\}"/g)]
          .map(([, variable]) => variable!)
          .filter((variable) => !['HEALTH_ADDRESS', 'BIND_ADDRESS'].includes(variable))
      : kind === 'Job'
        ? []
        : ['DRAIN_DELAY_MS'];

  it('are those of compose', () =>
    expect(Object.keys(environment).sort()).toEqual([...new Set([...Object.keys(ofCompose), ...changed])].sort()));

  it('have the same values, where the operator does not choose them', () => {
    const chosen = ['DATABASE_CA_FILE', 'REDIS_CA_FILE', 'SUPERUSER_URL', 'AUDIT_OPERATOR', 'AUDIT_ANCHOR_FILE'];
    for (const [variable, value] of Object.entries(ofCompose))
      if (!value.includes('${') && !chosen.includes(variable))
        expect([variable, environment[variable]]).toEqual([variable, value]);
  });
});

it('a migration has the variables of its service that the operator adds', () => {
  const added = { RECORD_PARTITIONS: '32', EXPORT_ROLE: 'exports' };
  const changed = podsOf(
    render('tributary', 'smallest', {
      defaults: { environment: { DATABASE_POOLER: 'transaction' } },
      services: { 'fhir-store': { environment: added } },
    }),
  );
  for (const name of ['fhir-store', 'migrate-fhir-store'])
    expect(changed.get(name)?.environment).toMatchObject({ ...added, DATABASE_POOLER: 'transaction' });
  expect(changed.get('migrate-auth')?.environment).not.toHaveProperty('EXPORT_ROLE');
});

it('the gateway asks the replicas of each service by a complete name', () => {
  const { environment } = podOf('gateway');
  expect(environment['FHIR_STORE_ADDRESS']).toBe('fhir-store-replicas.health.svc.cluster.local:8080');
  for (const [variable, address] of Object.entries(environment)) {
    if (!variable.endsWith('_ADDRESS')) continue;
    const [service] = address.split('.');
    const found = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service);
    expect([variable, found?.['spec']]).toEqual([
      variable,
      expect.objectContaining({ clusterIP: 'None', publishNotReadyAddresses: true }),
    ]);
  }
});

describe('the Secrets that the command prints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let secrets: PrintedSecrets;
  const smtpUrl = 'smtps://user:password@mail.example.org:465';
  beforeAll(() => {
    mkdirSync(join(folder, 'made'));
    writeFileSync(join(folder, 'made', 'smtp-url'), `${smtpUrl}\n`);
    secrets = readSecrets(printSecrets(folder));
  });
  const valueOf = (secret: string, key: string): string | undefined =>
    secrets.find(({ metadata }) => metadata.name === secret)?.stringData[key];
  const keysOf = (name: string): string[] | undefined => {
    const secret = secrets.find(({ metadata }) => metadata.name === name);
    return secret && Object.keys(secret.stringData);
  };
  /** The Secrets of a pod that have no certificate. */
  const ownSecrets = ({ secrets: sources }: Pod): string[] =>
    sources.flatMap(({ secret }) => (secret && !secret.items ? [secret.name] : []));

  it('are those that the pods have, each for one service and its migration', () => {
    expect(secrets.map(({ metadata }) => metadata.name).sort()).toEqual(
      [...new Set([...pods.values()].flatMap(ownSecrets))].sort(),
    );
    for (const pod of pods.values())
      for (const secret of ownSecrets(pod)) expect(`tributary-${pod.name.replace('migrate-', '')}`).toBe(secret);
  });

  it('and the certificates are the files that the variables name', () => {
    for (const pod of pods.values()) {
      const named = new Set(
        Object.entries(pod.environment)
          .filter(([variable, value]) => variable.endsWith('_FILE') && value.startsWith(secretsPath))
          .map(([, value]) => value.slice(secretsPath.length)),
      );
      // HAProxy reads the key beside each certificate.
      if (pod.name === 'gateway') ['tls.key', 'public.key'].forEach((file) => named.add(file));
      const own = ownSecrets(pod).flatMap((name) => keysOf(name)!);
      const items = pod.secrets.flatMap(({ secret, configMap }) => secret?.items ?? configMap?.items ?? []);
      // A migration reads only what it needs of the Secret of its service.
      if (!pod.name.startsWith('migrate-'))
        expect([pod.name, own.filter((file) => !named.has(file))]).toEqual([pod.name, []]);
      const given = [...own, ...items.map(({ path }) => path)];
      expect(new Set(given).size).toBe(given.length);
      // Every service has the variables of all secrets, as in compose; only some receive them.
      const notGiven = [...named].filter((file) => !given.includes(file));
      const ofSome = /^(?:key-encryption|page-token|file-token|audit-(?:opening|signing))-key$/;
      const ofDatabase =
        pod.name === 'mcp-server' ? ['database-url', 'database-password', 'audit-sealing-key', 'postgres-ca.crt'] : [];
      expect([pod.name, notGiven.filter((file) => !ofSome.test(file) && !ofDatabase.includes(file))]).toEqual([
        pod.name,
        [],
      ]);
    }
  });

  it('name the servers, and have the mail server of the operator', () => {
    // Where the chart has no ConfigMap with authorities, nothing else would verify the server.
    for (const [name, value] of secrets.map(({ metadata, stringData }) => [metadata.name, stringData['database-url']]))
      if (value !== undefined) expect([name, new URL(value).search]).toEqual([name, '?sslmode=verify-full']);
    expect(valueOf('tributary-auth', 'database-url')).toBe(
      'postgres://auth@postgres.example.org:5432/tributary?sslmode=verify-full',
    );
    expect(valueOf('tributary-auth', 'redis-url')).toBe('rediss://auth@redis.example.org:6379');
    expect(valueOf('tributary-console', 'smtp-url')).toBe(smtpUrl);
  });

  it('have the keys of the callers that the network policies let through, and the gateway needs none', () => {
    const accepted = secrets.flatMap(({ metadata, stringData }) =>
      Object.keys(JSON.parse(stringData['service-keys'] ?? '{}') as object).map(
        (caller) => `${caller} -> ${metadata.name.replace('tributary-', '')}:8081`,
      ),
    );
    const services = names.filter((name) => podOf(name).kind === 'Deployment' && name !== 'gateway');
    const internal = services.flatMap((service) =>
      namedBy(service, '_INTERNAL_URL').map((name) => `${service} -> ${name.toLowerCase().replaceAll('_', '-')}:8081`),
    );
    // The console also shows the readiness of every service, which needs no key.
    expect(internal.filter((call) => !call.startsWith('console -> ')).sort()).toEqual(
      accepted.filter((call) => !call.startsWith('console -> ')).sort(),
    );
    const haproxy = readRepositoryFile('infra', 'gateway', 'haproxy.cfg');
    const behindGateway = new Set([...haproxy.matchAll(/^ {2}server-template ([a-z-]+) /gm)].map(([, name]) => name));
    const gatewayPorts = new Map([
      ['', 8080],
      ['AUTH_', 8082],
      ['SEARCH_', 8083],
      ['ANALYTICS_', 8084],
    ]);
    const expected = new Set([
      ...accepted,
      ...internal,
      ...[...behindGateway].flatMap((name) => [8080, 8081].map((port) => `gateway -> ${name}:${port}`)),
      ...services.flatMap((service) =>
        namedBy(service, 'API_URL').map((name) => `${service} -> gateway:${gatewayPorts.get(name)}`),
      ),
    ]);
    const policies = new NetworkPolicies(objects);
    const allowed = names.flatMap((caller) =>
      names.flatMap((callee) =>
        [5432, 6379, 8080, 8081, 8082, 8083, 8084, 8085, 9464]
          .filter((port) => policies.allow({ labels: podOf(caller).labels }, { labels: podOf(callee).labels }, port))
          .map((port) => `${caller} -> ${callee}:${port}`),
      ),
    );
    expect(allowed.sort()).toEqual([...expected].sort());
  });

  it('leave out the users of Redis, which have a command of their own, and stay the same on the next run', () => {
    expect(keysOf('tributary-redis')).toBeUndefined();
    const users = printSecrets(folder, 'redis-users');
    expect(users).toMatch(/^user default off/);
    const password = valueOf('tributary-fhir-store', 'redis-password')!;
    expect(users).toContain(`\nuser fhir-store on #${createHash('sha256').update(password).digest('hex')} `);
    expect(readdirSync(folder)).toEqual(['made']);
  });

  it('are those that the chart tributary-secrets asks the store for', () => {
    const external = render('tributary-secrets', 'secrets');
    const namesOf = (wanted: string): string[] =>
      external.filter(({ kind }) => kind === wanted).map(({ metadata }) => metadata.name);
    expect(namesOf('ExternalSecret').sort()).toEqual(secrets.map(({ metadata }) => metadata.name).sort());
    const certificates = new Set(
      [...pods.values()].flatMap(({ secrets: sources }) =>
        sources.flatMap(({ secret }) => (secret?.items ? [secret.name] : [])),
      ),
    );
    expect(
      namesOf('Certificate')
        .map((name) => `${name}-tls`)
        .sort(),
    ).toEqual([...certificates, 'tributary-metrics-tls'].sort());
  });
});

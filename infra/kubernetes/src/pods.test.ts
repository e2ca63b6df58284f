import { render } from '../test/helm';
import { composeServices, readRepositoryFile } from '../test/compose-form';
import { podsOf } from '../test/pods';

const values = ['smallest', 'production', 'load-balancer'] as const;
const forms = values.map((name) => [name, podsOf(render('tributary', name))] as const);
const production = new Map(forms).get('production')!;
/** PostgreSQL and Redis are outside of the cluster, and so is what makes the secrets. */
const elsewhere = ['secrets', 'postgres', 'redis'];

it('every container of docker-compose.yml has a pod', () => {
  const expected = Object.keys(composeServices).filter((name) => !elsewhere.includes(name));
  expect([...production.keys()].sort()).toEqual(expected.sort());
});

it.each(forms)('every pod is restricted as the Pod Security Standards say, with the settings %s', (_name, pods) => {
  for (const { name, spec, container } of pods.values()) {
    expect([name, spec]).toEqual([
      name,
      expect.objectContaining({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: expect.objectContaining({
          runAsNonRoot: true,
          runAsUser: 1000,
          fsGroup: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        }),
      }),
    ]);
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers', 'ephemeralContainers'])
      expect([name, field in spec]).toEqual([name, false]);
    expect([name, container.securityContext]).toEqual([
      name,
      { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ]);
    const kinds = spec.volumes.flatMap((volume) => Object.keys(volume)).filter((key) => key !== 'name');
    const allowed = ['emptyDir', 'projected', 'secret', 'persistentVolumeClaim'];
    expect([name, kinds.filter((kind) => !allowed.includes(kind))]).toEqual([name, []]);
    expect([name, container.volumeMounts]).toEqual([
      name,
      expect.arrayContaining([
        { name: 'tmp', mountPath: '/tmp' },
        { name: 'secrets', mountPath: '/run/secrets/tributary', readOnly: true },
      ]),
    ]);
    const [secrets] = spec.volumes.filter((volume) => volume.name === 'secrets');
    expect([name, secrets?.projected?.defaultMode]).toEqual([name, 0o440]);
  }
});

it('the user is that of the images', () => {
  const dockerfile = readRepositoryFile('infra', 'docker', 'Dockerfile');
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^USER 1000:1000$/m);
});

it('memory is limited as in compose', () => {
  for (const { name, kind, container } of production.values()) {
    const { mem_limit: limit } = composeServices[name]!;
    expect([kind, name, container.resources.limits.memory]).toEqual([
      kind,
      name,
      limit.replace(/m$/, 'Mi').replace(/g$/, 'Gi'),
    ]);
  }
});

it('the probes ask a port with TLS that answers without a certificate', () => {
  for (const { name, kind, container } of production.values()) {
    const { startupProbe, livenessProbe, readinessProbe, ports } = container;
    if (kind === 'Job') continue;
    const [port, readiness] = name === 'gateway' ? ['base', '/healthz'] : ['internal', '/readyz'];
    const probe = (path: string): object => ({ httpGet: { path, port, scheme: 'HTTPS' } });
    expect([name, startupProbe, livenessProbe, readinessProbe]).toEqual([
      name,
      probe('/healthz'),
      probe('/healthz'),
      probe(readiness),
    ]);
    expect(ports).toContainEqual({ name: port, containerPort: name === 'gateway' ? 8080 : 8081 });
  }
});

it('a service has time to end', () => {
  const source = readRepositoryFile('packages', 'service-kit', 'src', 'runtime', 'run-service.ts');
  const seconds = ['graceMs', 'stopMs'].map((name) =>
    Number(new RegExp(`^const ${name} = ([0-9_]+);`, 'm').exec(source)?.[1]?.replaceAll('_', '')),
  );
  for (const { name, kind, spec, environment } of production.values()) {
    if (kind === 'Job' || name === 'gateway') continue;
    const needed = [Number(environment['DRAIN_DELAY_MS']), ...seconds].reduce((sum, ms) => sum + ms / 1000, 0);
    expect([name, needed]).toEqual([name, 50]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  }
});

it('the gateway has time for the longest request after it accepted the last one', () => {
  const changes = { drainSeconds: 120, gateway: { longestRequestSeconds: 30 } };
  const { spec, container } = podsOf(render('tributary', 'smallest', changes)).get('gateway')!;
  expect(container).toMatchObject({ lifecycle: { preStop: { exec: { command: ['sleep', '120'] } } } });
  expect(spec.terminationGracePeriodSeconds).toBe(150);
});

it('a service with annotations for workload identity has a service account of its own', () => {
  const objects = render('tributary', 'load-balancer');
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
  expect(accounts.map(({ metadata }) => metadata.name)).toEqual(['console', 'fhir-store']);
  for (const account of accounts) {
    expect(account['automountServiceAccountToken']).toBe(false);
    expect(Object.keys(account.metadata.annotations)).toEqual(['azure.workload.identity/client-id']);
  }
  for (const { name, labels, spec } of podsOf(objects).values()) {
    expect([name, spec['serviceAccountName']]).toEqual([
      name,
      accounts.some(({ metadata }) => metadata.name === name) ? name : undefined,
    ]);
    expect(labels).toMatchObject({ 'azure.workload.identity/use': 'true', 'app.kubernetes.io/component': name });
  }
});

it('the services with a key service are those of compose', () => {
  const withKeyService = [...production.values()].filter(({ environment }) => 'KEY_PROVIDER' in environment);
  const names = withKeyService.map(({ name }) => name).sort();
  const lines = readRepositoryFile('infra', 'compose', 'key-service.yml').matchAll(/^ {2}([a-z-]+): \*key-service$/gm);
  expect(names).toEqual([...lines].map(([, name]) => name).sort());
  for (const { spec } of withKeyService) expect(spec).toMatchObject({ serviceAccountName: 'tributary' });
});

it('the services with an object storage are those of compose, and have files of their own', () => {
  const withObjects = [...production.values()].filter(({ environment }) => 'OBJECT_STORAGE_BUCKET' in environment);
  const compose = readRepositoryFile('infra', 'compose', 'object-storage.yml');
  const ofCompose = [...compose.matchAll(/^ {2}([a-z-]+):$/gm)].map(([, name]) => name);
  expect(withObjects.map(({ name }) => name).sort()).toEqual(ofCompose.sort());
  for (const { name, spec } of withObjects)
    expect(spec['volumes']).toContainEqual({
      name: 'object-storage',
      secret: { secretName: `objects-${name}`, defaultMode: 0o440 },
    });
});

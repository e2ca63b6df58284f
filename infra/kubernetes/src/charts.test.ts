import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  type Chart,
  type KubernetesObject,
  charts,
  folder,
  helmOf,
  render,
  repository,
  runHelm,
  template,
  valuesFile,
} from '../test/helm';
import { problemsOf } from '../test/validate';

const forms: [Chart, string][] = [
  ['tributary', 'smallest'],
  ['tributary', 'production'],
  ['tributary', 'load-balancer'],
  ['tributary-secrets', 'secrets'],
];
const rendered = new Map(forms.map(([chart, values]) => [values, render(chart, values)]));
const kindsOf = (objects: readonly KubernetesObject[]): string[] =>
  [...new Set(objects.map(({ kind }) => kind))].sort();

it.each([
  ['tributary', 'production'],
  ['tributary-secrets', 'secrets'],
])('%s passes the strict lint of Helm with the settings %s', (chart, values) => {
  const { status, output, errors } = runHelm(['lint', '--strict', chart, '--values', valuesFile(values)]);
  expect([status, output + errors]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
});

it('a machine without Helm is told to install it', () => {
  expect(helmOf({ platform: 'darwin', arch: 'arm64' })).toBe('helm');
  expect(() => runHelm(['version'], '/nowhere/helm')).toThrow('helm is not in the PATH: install Helm 3.18 or later');
});

it('every object is valid by the published schema of its kind, which has all of its fields', () => {
  const [deployment] = rendered.get('smallest')!.filter(({ kind }) => kind === 'Deployment');
  const spec = deployment!['spec'] as object;
  const wrong = { ...deployment!, spec: { ...spec, replicas: '2' } };
  const unknown = { ...deployment!, spec: { ...spec, minReadyseconds: 35 } };
  expect(problemsOf([...rendered.values(), wrong, unknown].flat())).toEqual([
    expect.stringContaining('replicas must be integer'),
    expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    expect.stringContaining(`'"minReadyseconds"' does not exist`),
  ]);
});

it('the options have the objects that they name, and no form has a Secret', () => {
  const smallest = ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'];
  expect(kindsOf(rendered.get('smallest')!)).toEqual(smallest);
  const production = ['HorizontalPodAutoscaler', 'Ingress', 'PodMonitor', 'PrometheusRule', 'ScaledObject'];
  expect(kindsOf(rendered.get('production')!)).toEqual([...smallest, ...production].sort());
  expect(kindsOf(rendered.get('load-balancer')!)).toEqual(
    ['Deployment', 'Job', 'PodDisruptionBudget', 'PodMonitor', 'Service', 'ServiceAccount'].sort(),
  );
  expect(kindsOf(rendered.get('secrets')!)).toEqual(['Certificate', 'ExternalSecret']);
});

it('each object has a name of its own', () => {
  for (const [values, objects] of rendered) {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect([values, names.length]).toEqual([values, new Set(names).size]);
  }
});

it('the alert rules are those of infra/monitoring', () => {
  const rules = rendered.get('production')!.find(({ kind }) => kind === 'PrometheusRule');
  expect(rules?.['spec']).toEqual(parse(readFileSync(join(repository, 'infra', 'monitoring', 'alerts.yml'), 'utf8')));
});

it('the policies of the jobs are there first, then the job that makes the database runs, and then the migrations', () => {
  for (const values of ['smallest', 'production', 'load-balancer']) {
    const objects = rendered.get(values)!;
    const jobs = objects.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    expect(jobs.length).toBeGreaterThan(6);
    const hooks = objects.filter(({ metadata }) => 'helm.sh/hook' in metadata.annotations);
    const policies = objects.some(({ kind }) => kind === 'NetworkPolicy') ? jobs : [];
    expect(hooks.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual(
      [...jobs.map((name) => `Job ${name}`), ...policies.map((name) => `NetworkPolicy ${name}`)].sort(),
    );
    for (const { kind, metadata } of hooks) {
      const weightOfJob = metadata.name === 'provision' ? '0' : '1';
      expect([kind, metadata.name, metadata.annotations]).toEqual([
        kind,
        metadata.name,
        {
          'helm.sh/hook': 'pre-install,pre-upgrade',
          'helm.sh/hook-weight': kind === 'NetworkPolicy' ? '-1' : weightOfJob,
          'helm.sh/hook-delete-policy': 'before-hook-creation',
        },
      ]);
    }
  }
});

it('a single replica of audit-log with a claim ends before the next one needs the claim', () => {
  const specOf = (changes: object): unknown =>
    render('tributary', 'smallest', changes).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'audit-log',
    )?.['spec'];
  const claim = { auditAnchorsClaim: 'audit-anchors' };
  const single = { services: { 'audit-log': { replicas: 1 } } };
  expect(specOf({ ...claim, ...single })).toMatchObject({ strategy: { type: 'Recreate' } });
  for (const changes of [claim, single])
    expect(specOf(changes)).toMatchObject({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
    });
});

it('the versions are those of the software', () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  for (const chart of charts) {
    const { appVersion } = parse(readFileSync(join(folder, chart, 'Chart.yaml'), 'utf8')) as { appVersion: string };
    expect([chart, appVersion]).toEqual([chart, version]);
  }
});

describe('what is refused', () => {
  type Refusals = [what: string, changes: object, message: string][];

  const refusedBySchema: Refusals = [
    ['a setting that does not exist', { replicas: 2 }, "additional properties 'replicas' not allowed"],
    ['a service that does not exist', { services: { fhir: {} } }, "additional properties 'fhir' not allowed"],
    ['an address without TLS', { urls: { base: 'http://api.example.org' } }, "at '/urls/base'"],
    ['a password in a URL', { provision: { superuserUrl: 'postgres://a:b@host/db' } }, "at '/provision/superuserUrl'"],
    ['a secret among the variables', { environment: { DATABASE_PASSWORD: 'x' } }, "'DATABASE_PASSWORD'"],
    [
      'a label that selects pods',
      { services: { auth: { podLabels: { 'app.kubernetes.io/component': 'search' } } } },
      "'app.kubernetes.io/component'",
    ],
    ['the sandbox', { environment: { SANDBOX_MODE: 'true' } }, "'SANDBOX_MODE'"],
    [
      'a number as a variable',
      { environment: { RATE_LIMIT_PER_HOUR: 1_000_000 } },
      "at '/environment/RATE_LIMIT_PER_HOUR': got number, want string",
    ],
    ['no replica', { defaults: { replicas: 0 } }, "at '/defaults/replicas': minimum: got 0, want 1"],
    ['a peer that is none', { networkPolicy: { redis: [{ cidr: '10.0.0.0/8' }] } }, "additional properties 'cidr'"],
    ['no list of peers', { networkPolicy: { mail: { to: null } } }, "missing property 'to'"],
    ['a digest that is none', { image: { digests: { auth: 'latest' } } }, "at '/image/digests/auth'"],
  ];
  // Helm names all that the schema refuses.
  const bySchema = template('tributary', 'smallest', ...refusedBySchema.map(([, changes]) => changes));

  it.each(refusedBySchema)('%s', (_what, _changes, message) => {
    expect([bySchema.status, bySchema.errors]).toEqual([1, expect.stringContaining(message)]);
  });

  const refused: Refusals = [
    ['an address that is missing', { urls: { base: '' } }, 'urls.base is not set'],
    ['no registry', { image: { registry: '' } }, 'image.registry is not set'],
    ['no sender of mails', { mailFrom: '' }, 'mailFrom is not set'],
    [
      'a superuser without verified TLS',
      { postgres: { caConfigMap: '' } },
      'without postgres.caConfigMap it needs ?sslmode=verify-full',
    ],
    [
      'two service accounts',
      {
        keyService: { serviceAccountName: 'keys' },
        services: { console: { serviceAccount: { annotations: { a: 'b' } } } },
      },
      'keyService.serviceAccountName names another one',
    ],
    [
      'no peer for the key service',
      { keyService: { environment: { KEY_PROVIDER: 'aws-kms' } } },
      'networkPolicy.keyService.to is not set',
    ],
    [
      'no peer for the object storage',
      { objectStorage: { environment: { OBJECT_STORAGE_BUCKET: 'attachments' } } },
      'networkPolicy.objectStorage.to is not set',
    ],
    ['no peer for PostgreSQL', { networkPolicy: { postgres: [] } }, 'networkPolicy.postgres is not set'],
    [
      'more replicas than the gateway uses',
      { services: { auth: { replicas: 11 } } },
      '10 replicas of a service at most',
    ],
    [
      'two scalers',
      { services: { 'ingestion-worker': { autoscaling: { enabled: true } } } },
      'queueAutoscaling scales',
    ],
    ['a scaler without metrics', { queueAutoscaling: { enabled: true } }, 'queueAutoscaling needs metrics.enabled'],
    [
      'more replicas at least than at most',
      { services: { search: { autoscaling: { enabled: true, minReplicas: 7 } } } },
      'services.search.autoscaling: minReplicas is more than maxReplicas',
    ],
    [
      'more workers at least than at most',
      { metrics: { enabled: true }, queueAutoscaling: { enabled: true, minReplicas: 11 } },
      'queueAutoscaling: minReplicas is more than maxReplicas',
    ],
    ['one port for two addresses', { loadBalancer: { enabled: true } }, 'a port of its own'],
    [
      'one host for two addresses',
      { ingress: { enabled: true }, urls: { auth: 'https://api.example.org:8443' } },
      'a host of its own',
    ],
  ];

  it.each(refused)('%s', (_what, changes, message) => {
    const { status, errors } = template('tributary', 'smallest', changes);
    expect([status, errors]).toEqual([1, expect.stringContaining(message)]);
  });

  const refusedForSecrets: Refusals = [
    ['a setting of the other chart', { urls: {} }, "additional properties 'urls' not allowed"],
    ['no store', { externalSecrets: { store: { name: '' } } }, 'externalSecrets.store.name is not set'],
    ['no internal authority', { certificates: { issuer: { name: '' } } }, 'certificates.issuer.name is not set'],
  ];

  it.each(refusedForSecrets)('%s in the chart of the secrets', (_what, changes, message) => {
    const { status, errors } = template('tributary-secrets', 'secrets', changes);
    expect([status, errors]).toEqual([1, expect.stringContaining(message)]);
  });
});

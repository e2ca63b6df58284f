import { inNetwork } from '../test/compose-form';
import { render } from '../test/helm';
import { podsOf } from '../test/pods';
import { type Endpoint, NetworkPolicies } from '../test/policies';

const objects = render('tributary', 'smallest');
const policies = new NetworkPolicies(objects);
const pods = [...podsOf(objects).values()];
const services = pods.filter(({ kind, name }) => kind === 'Deployment' && name !== 'gateway').map(({ name }) => name);
const endpointOf = (name: string): Endpoint => ({ labels: pods.find((pod) => pod.name === name)!.labels });
const ports = [5432, 6379, 8080, 8081, 8082, 8083, 8084, 8085, 9464];

/** The pods that reach an address. */
const reaching = (address: string, port: number): string[] =>
  pods
    .filter(({ labels }) => policies.allow({ labels }, { address }, port))
    .map(({ name }) => name)
    .sort();

it('from outside, the gateway alone is reached', () => {
  const reached = pods.flatMap(({ name }) =>
    ports
      .filter((port) => policies.allow({ address: '203.0.113.7' }, endpointOf(name), port))
      .map((port) => `${name}:${port}`),
  );
  expect(reached).toEqual(['gateway:8080', 'gateway:8082', 'gateway:8083', 'gateway:8084']);
  const other: Endpoint = { labels: { app: 'other' }, namespace: 'other' };
  expect(services.filter((name) => ports.some((port) => policies.allow(other, endpointOf(name), port)))).toEqual([]);
});

it('the networks of compose say who reaches the databases', () => {
  const [postgres, redis] = [reaching('10.0.1.5', 5432), reaching('10.0.2.5', 6379)];
  expect([...new Set([...postgres, ...redis])].sort()).toEqual(
    inNetwork('data').filter((name) => !['postgres', 'redis'].includes(name)),
  );
  expect(postgres).not.toContain('mcp-server');
  expect(redis.filter((name) => !services.includes(name))).toEqual([]);
  expect([reaching('10.0.2.5', 5432), reaching('10.0.1.5', 6379), reaching('10.0.3.5', 5432)]).toEqual([[], [], []]);
});

it('and who reaches health systems and the mail server', () => {
  expect([...reaching('203.0.113.7', 443), ...reaching('203.0.113.7', 465)].sort()).toEqual(inNetwork('outbound'));
  expect(reaching('203.0.113.7', 465)).toEqual(['console']);
  expect(reaching('2001:db8::7', 443)).toEqual(reaching('203.0.113.7', 443));
  expect([reaching('203.0.113.7', 80), reaching('203.0.113.7', 22)]).toEqual([[], []]);
});

it('addresses that are not public are no health systems', () => {
  for (const address of [
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.0.1',
    'fd00::1',
  ])
    expect([address, reaching(address, 443)]).toEqual([address, []]);
});

it('nobody is reached by an empty list, which Kubernetes takes for everybody', () => {
  const nowhere = render('tributary', 'smallest', { networkPolicy: { healthSystems: { to: [] }, mail: { to: [] } } });
  const ofNowhere = new NetworkPolicies(nowhere);
  const address = '203.0.113.7';
  for (const port of [443, 465])
    expect(pods.filter(({ labels }) => ofNowhere.allow({ labels }, { address }, port))).toEqual([]);
  const metadata = { name: 'all', labels: {}, annotations: {} };
  const rule = { ports: [{ protocol: 'TCP', port: 443 }] };
  const spec = { podSelector: { matchLabels: {} }, policyTypes: ['Ingress', 'Egress'] };
  const evaluate = (egress: object): boolean =>
    new NetworkPolicies([
      { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec: { ...spec, egress: [egress] } },
    ]).allow({ labels: {} }, { address }, 443);
  expect([rule, { ...rule, to: [] }, { ...rule, to: null }].map(evaluate)).toEqual([true, true, true]);
});

it('every pod asks for names', () => {
  const server: Endpoint = { labels: { 'k8s-app': 'kube-dns' }, namespace: 'kube-system' };
  for (const protocol of ['UDP', 'TCP'])
    expect(pods.filter(({ labels }) => !policies.allow({ labels }, server, 53, protocol))).toEqual([]);
});

it('with its settings, a key service, an object storage and Prometheus are reached and reach', () => {
  const production = render('tributary', 'production');
  const ofProduction = new NetworkPolicies(production);
  const all = [...podsOf(production).values()];
  const vault: Endpoint = { labels: {}, namespace: 'vault' };
  expect(
    all
      .filter(({ labels }) => ofProduction.allow({ labels }, vault, 8200))
      .map(({ name }) => name)
      .sort(),
  ).toEqual(
    all
      .filter(({ environment }) => 'KEY_PROVIDER' in environment)
      .map(({ name }) => name)
      .sort(),
  );
  expect(
    all
      .filter(({ labels }) => ofProduction.allow({ labels }, { address: '10.0.4.7' }, 9000))
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['analytics-export', 'fhir-store']);
  const prometheus: Endpoint = { labels: {}, namespace: 'monitoring' };
  expect(
    all
      .filter(({ labels }) => ofProduction.allow(prometheus, { labels }, 9464))
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...services].sort());
  expect(
    ofProduction.allow(
      { address: '203.0.113.7' },
      { labels: all.find(({ name }) => name === 'gateway')!.labels },
      8080,
    ),
  ).toBe(false);
});

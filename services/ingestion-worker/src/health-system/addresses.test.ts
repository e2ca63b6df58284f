import { InnerServer, FakePublicHealthSystem } from '../../test/fake-public-health-system';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf, progressOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

// No test can reach a public address: here one of this machine is taken for public, and its certificate is trusted. All
// else is as it is.
jest.mock('@tributary/outbound', () => {
  const actual = jest.requireActual<typeof import('@tributary/outbound')>('@tributary/outbound');
  const { testCertificate } =
    jest.requireActual<typeof import('@tributary/test-environment')>('@tributary/test-environment');
  class GuardedHttp extends actual.GuardedHttp {
    constructor(options: ConstructorParameters<typeof actual.GuardedHttp>[0]) {
      const isPublicAddress = (address: string) => address === '127.0.0.2' || actual.isPublicAddress(address);
      super({ ...options, isPublicAddress, ca: testCertificate('127.0.0.2').cert });
    }
  }
  return { ...actual, GuardedHttp };
});

let suite: Suite;
let worker: RunningWorker;
let system: FakePublicHealthSystem;
let inner: InnerServer;

beforeAll(async () => {
  [suite, system, inner] = await Promise.all([
    startSuite({ allowPrivateAddresses: false }),
    FakePublicHealthSystem.start(),
    InnerServer.start(),
  ]);
  worker = await startWorker(suite.workerSettings);
});

beforeEach(() => {
  system.overrides = {};
  system.requests = [];
});

afterAll(async () => {
  await worker?.stop();
  await Promise.all([suite?.stop(), system?.stop(), inner?.stop()]);
});

async function collected(fhirBaseUrl: string): Promise<TestConnection> {
  const held = suite.userManagement.hold(fhirBaseUrl, {
    access_token: 'hush',
    expires_in: 3600,
    scope: 'patient/*.read',
    patient: 'p1',
  });
  await suite.queue.add(jobOf(held));
  await ended([held]);
  return held;
}

const inward = (): string[] => [
  `http://127.0.0.1:${inner.port}`,
  `https://127.0.0.1:${inner.port}`,
  `https://localhost:${inner.port}`,
  `http://localhost:${inner.port}`,
  `https://[::ffff:127.0.0.1]:${inner.port}`,
];

describe('outside the sandbox mode', () => {
  it('collects from public addresses by https', async () => {
    const { connection } = await collected(system.base);
    expect([connection.status, [...suite.fhirStore.resourcesOf(connection.service_user_id).keys()]]).toEqual([
      'active',
      ['Patient/p1'],
    ]);
  });

  it('calls no health system that is not public or not on https, and says so', async () => {
    for (const base of [...inward().map((origin) => `${origin}/fhir`), system.base.replace('https:', 'http:')]) {
      const { connection, reports } = await collected(base);
      expect([base, connection.status, reports.at(-1)?.error?.message]).toEqual([
        base,
        'failed',
        'metadata: the health system has an address that must not be called: only https and public ones may be',
      ]);
    }
    expect([inner.connections, system.requests]).toEqual([0, []]);
  });

  it('follows no redirect to such an address', async () => {
    for (const origin of [...inward(), system.origin.replace('https:', 'http:')]) {
      system.overrides = { '/fhir/Condition': { redirect: `${origin}/fhir/Condition` } };
      const held = await collected(system.base);
      expect([origin, held.connection.status, progressOf(held, 'Condition')]).toMatchObject([
        origin,
        'active',
        {
          outcome: 'failed',
          warnings: [{ code: 'address_forbidden', message: 'the health system leads to another host' }],
        },
      ]);
    }
    expect(inner.connections).toBe(0);
  });

  it('follows no link to such an address for the next page', async () => {
    for (const origin of inward()) {
      system.overrides = {
        '/fhir/Condition': { next: `${origin}/elsewhere?page=2`, entries: [{ resourceType: 'Condition', id: 'c1' }] },
      };
      const held = await collected(system.base);
      expect([origin, held.connection.status, progressOf(held, 'Condition')]).toMatchObject([
        origin,
        'active',
        {
          outcome: 'failed',
          warnings: [
            { code: 'paging_failed', message: 'its link to the next page is no address of this health system' },
          ],
        },
      ]);
    }
    expect(inner.connections).toBe(0);
  });

  it('fetches no attachment from such an address', async () => {
    for (const origin of inward()) {
      system.overrides = {
        '/fhir/DocumentReference': {
          entries: [
            {
              resourceType: 'DocumentReference',
              id: 'd1',
              content: [{ attachment: { url: `${origin}/fhir/Binary/1` } }],
            },
          ],
        },
      };
      expect((await collected(system.base)).connection.status).toBe('active');
    }
    expect(inner.connections).toBe(0);
  });
});

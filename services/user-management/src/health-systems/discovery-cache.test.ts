import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { OutboundHttp } from '../outbound/outbound-http';
import { FakeHealthSystem } from '../../test/fake-health-system';
import { DiscoveryFailed } from './discovery';
import { DiscoveryCache } from './discovery-cache';

describe('the discovery cache', () => {
  const http = new OutboundHttp({ allowPrivateAddresses: true });
  let system: FakeHealthSystem;
  beforeEach(async () => {
    system = await FakeHealthSystem.listen();
  });
  afterEach(() => system.close());

  it('shares one discovery among concurrent look-ups, and repeats it after its time to live', async () => {
    const discoveries = new DiscoveryCache(http);
    const found = await Promise.all(Array.from({ length: 10 }, () => discoveries.find(system.endpoint('r4'))));
    expect(found[9]).toMatchObject({ tokenEndpoint: `${system.url}/token` });
    await discoveries.find(system.endpoint('r4'));
    expect(system.discoveries).toBe(1);
    await discoveries.find(system.endpoint('stu3'));
    expect(system.discoveries).toBe(2);
    const forgetful = new DiscoveryCache(http, { ttlMs: 0 });
    await forgetful.find(system.endpoint('r4'));
    await forgetful.find(system.endpoint('r4'));
    expect(system.discoveries).toBe(4);
  });

  it('caches failures for a shorter time', async () => {
    Object.assign(system.behaviour, { smart: null, metadata: false });
    const discoveries = new DiscoveryCache(http);
    for (let i = 0; i < 3; i++) await expect(discoveries.find(system.endpoint('r4'))).rejects.toThrow(DiscoveryFailed);
    expect(system.discoveries).toBe(1);
    const impatient = new DiscoveryCache(http, { failureTtlMs: 0 });
    await expect(impatient.find(system.endpoint('r4'))).rejects.toThrow(DiscoveryFailed);
    Object.assign(system.behaviour, { smart: {}, metadata: true });
    expect(await impatient.find(system.endpoint('r4'))).toMatchObject({ tokenEndpoint: `${system.url}/token` });
  });

  it('ends a discovery at its deadline when the host accepts connections and never responds', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const discoveries = new DiscoveryCache(http, { deadlineMs: 200 });
    const endpoint = {
      fhirVersion: 'r4',
      fhir_base_url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/fhir`,
    } as const;
    await expect(discoveries.find(endpoint)).rejects.toThrow(DiscoveryFailed);
    silent.close();
  });
});

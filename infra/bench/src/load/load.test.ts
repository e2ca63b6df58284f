import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { runClosedLoop } from './closed-loop';
import { LatencySamples, percentile } from './latencies';
import { type RequestStep, idOfLocation, withId } from './sequence';

describe('percentile', () => {
  it('uses the nearest-rank method', () => {
    const sorted = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect([0, 0.5, 0.9, 0.95, 0.99, 1].map((part) => percentile(sorted, part))).toEqual([1, 5, 9, 10, 10, 10]);
    expect(percentile([], 0.5)).toBe(0);
  });

  it('returns the lowest sample with at least the given fraction of the samples at or below it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, part) => {
          const sorted = [...values].sort((a, b) => a - b);
          const found = percentile(sorted, part);
          expect(sorted.filter((value) => value <= found).length).toBeGreaterThanOrEqual(part * sorted.length);
          expect(sorted.filter((value) => value < found).length).toBeLessThan(part * sorted.length);
        },
      ),
    );
  });

  it('keeps every sample of a long run', () => {
    const samples = new LatencySamples();
    for (let i = 200_000; i >= 1; i--) samples.add(i);
    expect(samples.count).toBe(200_000);
    expect(samples.summary()).toEqual({ p50: 100_000, p90: 180_000, p99: 198_000, max: 200_000 });
  });
});

describe('sequence', () => {
  it('reads the id of a Location', () => {
    expect(idOfLocation('http://h/r4/Observation/abc-1/_history/3')).toBe('abc-1');
    expect(idOfLocation('/r4/Observation/abc-1')).toBe('abc-1');
    expect(idOfLocation('')).toBe('');
  });

  it('inserts the id into path and body', () => {
    const step: RequestStep = {
      method: 'PUT',
      path: '/r4/Observation/{id}',
      headers: {},
      body: '{"id":"{id}"}',
      expect: 200,
    };
    expect(withId(step, 'x')).toEqual({ ...step, path: '/r4/Observation/x', body: '{"id":"x"}' });
    const plain: RequestStep = { method: 'GET', path: '/r4', headers: {}, expect: 200 };
    expect(withId(plain, 'x')).toBe(plain);
  });
});

describe('runClosedLoop', () => {
  it('sends sequences in order, one request at a time per connection, and counts unexpected responses', async () => {
    const seen: string[] = [];
    let under = 0;
    let most = 0;
    const server = createServer((request, response) => {
      most = Math.max(most, ++under);
      seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
      setImmediate(() => {
        under--;
        if (request.method === 'POST') response.writeHead(201, { Location: '/thing/made-1' }).end();
        else response.writeHead(request.url === '/bad' ? 418 : 200).end('content');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const result = await runClosedLoop({
      origin: `http://127.0.0.1:${port}`,
      connections: 3,
      warmUpSeconds: 0,
      seconds: 0.3,
      sequences: [
        [
          { method: 'POST', path: '/thing', headers: {}, body: '{}', expect: 201 },
          { method: 'GET', path: '/thing/{id}', headers: {}, expect: 200 },
        ],
        [
          { method: 'GET', path: '/bad', headers: {}, expect: 200 },
          { method: 'GET', path: '/never', headers: {}, expect: 200 },
        ],
      ],
    });
    server.close();
    expect(most).toBeLessThanOrEqual(3);
    expect(new Set(seen)).toEqual(new Set(['POST /thing', 'GET /thing/made-1', 'GET /bad']));
    expect(result.requests + result.failures).toBe(seen.length);
    expect(result.failures).toBeGreaterThan(0);
    expect(result.firstFailure).toBe('GET /bad returned 418, not 200: content');
  });
});

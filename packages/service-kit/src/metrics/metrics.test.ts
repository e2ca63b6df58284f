import { createDatabase, waitUntil } from '@tributary/test-environment';
import { z } from 'zod';
import { anyone } from '../api/authentication';
import { type ListeningServer, listen } from '../runtime/http-server';
import { RunningService } from '../../test/running-service';
import { openPool } from '../databases/database';
import { RequestLimit } from '../rate-limit/request-limit';
import { takeAll } from '../rate-limit/take-all';
import type { TokenBuckets } from '../rate-limit/token-buckets';
import { gauge } from './gauge';
import { metrics } from './registry';
import { testApi } from '../../test/test-api';

describe('the metrics of requests', () => {
  let server: ListeningServer;
  let url: string;
  beforeAll(async () => {
    const api = testApi();
    api.route(
      {
        method: 'get',
        path: '/users/{id}',
        operationId: 'user',
        summary: '',
        authentication: anyone,
        params: z.object({ id: z.string() }),
        query: z.object({ name: z.string().optional() }),
        responses: { 200: { description: '' } },
      },
      () => ({}),
    );
    server = await listen({
      app: api.express(),
      port: 0,
      host: '127.0.0.1',
      variable: 'PORT',
      isStopping: () => false,
    });
    url = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.close(0));
  beforeEach(() => metrics.resetMetrics());

  async function get(path: string, method = 'GET'): Promise<number> {
    const answer = await fetch(url + path, { method, headers: { authorization: 'Bearer the-secret-token' } });
    await answer.arrayBuffer();
    return answer.status;
  }

  /** Waits until all responses are counted: the client has them before the server closes them. */
  function counted(requests: number): Promise<string> {
    return waitUntil(async () => {
      const text = await metrics.metrics();
      const counts = [...text.matchAll(/^tributary_http_request_duration_seconds_count\{.*\} (\d+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0) === requests && text;
    });
  }

  it('have the route template, and no value of a request', async () => {
    expect(await get('/users/user-4711?name=Jones')).toBe(200);
    expect(await get('/users/user-4712?unknown=Smith')).toBe(400);
    const text = await counted(2);
    expect(text).toContain('_count{method="GET",route="/users/{id}",status="2xx"} 1');
    expect(text).toContain('_count{method="GET",route="/users/{id}",status="4xx"} 1');
    expect(text).toContain('tributary_http_requests_in_progress 0');
    for (const value of ['user-471', 'Jones', 'Smith', 'the-secret-token', 'name=']) expect(text).not.toContain(value);
  });

  it('have one route for all unknown paths, and one method for all unknown ones', async () => {
    for (const path of ['/a', '/b/c', '/metrics']) expect(await get(path)).toBe(404);
    expect(await get('/d', 'PROPFIND')).toBe(404);
    const counts = (await counted(4)).match(/^tributary_http_request_duration_seconds_count.*$/gm);
    expect(counts).toEqual([
      expect.stringContaining('{method="GET",route="none",status="4xx"} 3'),
      expect.stringContaining('{method="other",route="none",status="4xx"} 1'),
    ]);
  });
});

it('counts what a limit refuses by the name of the limit, without its key', async () => {
  metrics.resetMetrics();
  const limit = new RequestLimit({
    name: 'test-limit',
    policy: { quota: 1, windowSeconds: 3600 },
    buckets: { isAvailable: false, take: () => Promise.reject(new Error('no Redis')) } as unknown as TokenBuckets,
    withoutRedis: 'admit',
  });
  const counted = [{ limit, key: 'user-4711' }];
  await takeAll(counted);
  await expect(takeAll(counted)).rejects.toMatchObject({ status: 429 });
  const text = await metrics.metrics();
  expect(text).toMatch(/^tributary_rate_limit_refusals_total\{limit="test-limit"\} 1$/m);
  expect(text).not.toContain('4711');
});

it('measures a pool while it is open', async () => {
  const database = await createDatabase();
  const pool = openPool(database.url, 'measured');
  await pool.query('SELECT 1');
  const text = await metrics.metrics();
  expect(text).toContain('tributary_database_pool_connections{schema="measured"} 1');
  expect(text).toContain('tributary_database_pool_idle_connections{schema="measured"} 1');
  expect(text).toContain('tributary_database_pool_waiting{schema="measured"} 0');
  expect(text).toMatch(/^tributary_database_pool_max_connections\{schema="measured"\} [1-9]/m);
  await pool.end();
  expect(await metrics.metrics()).not.toContain('schema="measured"');
  await database.drop();
});

it('serves metrics on METRICS_PORT only', async () => {
  const service = await RunningService.start({ METRICS_PORT: '0' });
  const { metricsPort: port } = await service.line('serving');
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(text).toContain('nodejs_eventloop_lag_seconds{service="test"}');
  expect(text).toContain('process_resident_memory_bytes{service="test"}');
  expect((await fetch(`http://127.0.0.1:${port}/seen`)).status).toBe(404);
  // The public listener of this service responds to every path with `ok`.
  for (const url of [service.publicUrl, service.internalUrl])
    expect(await (await fetch(`${url}/metrics`)).text()).not.toContain('nodejs_');
  service.child.kill('SIGTERM');
  expect(await service.exited).toEqual([0, null]);
});

it('a gauge has a value while it is set', async () => {
  const measured = gauge('tributary_measured', 'A test.');
  const lines = async (): Promise<string[]> =>
    (await metrics.getSingleMetricAsString('tributary_measured')).split('\n').filter((line) => !line.startsWith('#'));
  expect(await lines()).toEqual([]);
  measured.set(7);
  expect(await lines()).toEqual(['tributary_measured 7']);
  measured.remove();
  expect(await lines()).toEqual([]);
});

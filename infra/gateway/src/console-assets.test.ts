import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopbackNetwork, waitUntil } from '@tributary/test-environment';
import { containers } from './containers';
import { renderHaproxy } from './render-haproxy';

const isInstalled = spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).status === 0;
const network = loopbackNetwork();
const gateway = `http://${network}.1:8080`;

const pages = ['connect', 'console'];

/** Replicas of the console during a deployment: one has the files of the new build, the others of the old one. */
const replicas = ['new', 'old', 'old'].map((build, index) => ({
  build,
  host: `${network}.${20 + index}`,
}));

(isInstalled ? describe : describe.skip)('the files of the pages of console, during a deployment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-assets-'));
  const servers: Server[] = [];
  let asked: string[] = [];
  let proxy: ChildProcess;

  beforeAll(async () => {
    for (const { build, host } of replicas) {
      const server = createServer(({ url }, response) => {
        asked.push(host);
        const hasFile = url !== undefined && new RegExp(`^/con(?:nect|sole)/assets/main-${build}[.]js$`).test(url);
        response
          .writeHead(hasFile ? 200 : 404, {
            'X-Request-Id': 'from-service',
            'Cache-Control': hasFile ? 'max-age=31536000, immutable' : 'no-store',
          })
          .end();
      });
      servers.push(server.listen(8080, host));
      await once(server, 'listening');
    }
    const configuration = join(folder, 'haproxy.cfg');
    const lines = replicas.map(({ host }, index) => `  server ${index} ${host}:8080 no-check`);
    const serversOf = (): string => lines.join('\n');
    writeFileSync(configuration, renderHaproxy({ ...containers, serversOf }));
    proxy = spawn('haproxy', ['-db', '-f', configuration], {
      env: { PATH: process.env['PATH'], BIND_ADDRESS: `${network}.1` },
      stdio: 'ignore',
    });
    await waitUntil(() =>
      fetch(`${gateway}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  });

  afterAll(async () => {
    proxy.kill('SIGKILL');
    await once(proxy, 'exit');
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => {
    asked = [];
  });

  it.each(pages)('of /%s come from the replica that has them', async (page) => {
    for (let n = 0; n < 40; n++) {
      const { status, headers } = await fetch(`${gateway}/${page}/assets/main-new.js`);
      expect([status, headers.get('cache-control')]).toEqual([200, 'max-age=31536000, immutable']);
    }
    expect(new Set(asked).size).toBe(replicas.length);
  });

  it('also when many are asked for at once', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${gateway}/connect/assets/main-new.js`).then(({ status }) => status)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it.each(pages)('of /%s are not found when no replica has them, which nothing keeps', async (page) => {
    const { status, headers } = await fetch(`${gateway}/${page}/assets/main-unknown.js`);
    expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(new Set(asked).size).toBe(replicas.length);
  });

  it('alone are asked for again', async () => {
    for (const path of ['/connect/pages/unknown/search', '/console/unknown', '/docs/unknown']) {
      asked = [];
      expect([(await fetch(gateway + path)).status, asked.length]).toEqual([404, 1]);
    }
  });
});

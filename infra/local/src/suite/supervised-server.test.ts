import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@tributary/local-databases';
import { SupervisedServer } from './supervised-server';

describe('SupervisedServer', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tributary-supervised-server-'));
  afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

  it('restarts a killed server on the same port with a warning, and not a stopped one', async () => {
    const said: string[] = [];
    let restarted: () => void = () => undefined;
    const again = new Promise<void>((resolve) => (restarted = resolve));
    const first = await startRedis({ dataDirectory });
    const port = Number(new URL(first.url).port);
    await first.stop();
    const server = await SupervisedServer.start(
      'Redis',
      () => startRedis({ dataDirectory, port }),
      (message) => said.push(message),
      () => restarted(),
    );
    const { pid, url } = server.current;
    process.kill(pid ?? 0, 'SIGKILL');
    await again;
    expect(server.current.pid).not.toBe(pid);
    expect(server.current.url).toBe(url);
    expect(said).toEqual(['Redis ended (SIGKILL); starting it again', 'Redis runs again']);
    await server.stop();
    expect(said).toHaveLength(2);
  });
});

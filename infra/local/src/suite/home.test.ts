import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@tributary/local-databases';
import { openHome } from './home';

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().connecting === false));
    socket.once('error', () => resolve(false));
  });

describe('openHome', () => {
  const root = mkdtempSync(join(tmpdir(), 'tributary-home-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('keeps its secrets unless it is opened fresh', async () => {
    const { secrets, leftBehind } = await openHome(root, false);
    expect(leftBehind).toBe(false);
    expect((await openHome(root, false)).secrets).toEqual(secrets);
    expect((await openHome(root, true)).secrets).not.toEqual(secrets);
  });

  it('rejects a folder that an earlier version wrote, unless it is opened fresh', async () => {
    const { root: folder } = await openHome(join(root, 'earlier'), false);
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ service_keys: { auth: 'key' } }));
    await expect(openHome(folder, false)).rejects.toThrow('npm start -- --fresh');
    await expect(openHome(folder, true)).resolves.toMatchObject({ root: folder });
  });

  it('rejects a folder that a living runner uses, and ends databases that a killed runner left running', async () => {
    const { redis } = await openHome(root, false);
    const running = await startRedis({ dataDirectory: redis });
    const port = Number(new URL(running.url).port);
    await expect(openHome(root, true)).rejects.toThrow('Stop that one first');
    expect(await answers(port)).toBe(true);

    const claim = join(redis, 'running.json');
    const record = JSON.parse(readFileSync(claim, 'utf8')) as object;
    writeFileSync(
      claim,
      JSON.stringify({ ...record, launcher: { pid: 1, startedAt: 'before this machine was built' } }),
    );
    expect((await openHome(root, true)).leftBehind).toBe(true);
    expect(await answers(port)).toBe(false);
    await running.stop();
  });
});

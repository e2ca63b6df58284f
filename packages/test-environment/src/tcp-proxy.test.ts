import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { type TcpProxy, startTcpProxy } from './tcp-proxy';

describe('startTcpProxy', () => {
  let echo: Server;
  let proxy: TcpProxy;
  let client: Socket;
  beforeAll(async () => {
    echo = createServer((socket) => void socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startTcpProxy(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`);
    client = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    await once(client, 'connect');
  });
  afterAll(async () => {
    client.destroy();
    await proxy.close();
    echo.close();
  });

  async function echoed(text: string, through = client): Promise<string> {
    through.write(text);
    let back = '';
    while (back.length < text.length) back += String((await once(through, 'data'))[0]);
    return back;
  }

  it('forwards data in order, also with a delay', async () => {
    expect(await echoed('one')).toBe('one');
    proxy.delay(20);
    const began = performance.now();
    expect(await echoed('x'.repeat(300_000))).toHaveLength(300_000);
    expect(await echoed('two')).toBe('two');
    expect(performance.now() - began).toBeGreaterThanOrEqual(39);
    proxy.delay(0);
  });

  it('sends nothing while it hangs, keeps the connection, and continues afterwards', async () => {
    proxy.hang();
    let arrived = false;
    const answer = echoed('three').then((text) => {
      arrived = true;
      return text;
    });
    // What does not pass through the proxy comes back meanwhile.
    const direct = connect((echo.address() as AddressInfo).port, '127.0.0.1');
    for (let n = 0; n < 100; n++) await echoed('direct', direct);
    direct.destroy();
    expect(arrived).toBe(false);
    proxy.resume();
    expect(await answer).toBe('three');
  });
});

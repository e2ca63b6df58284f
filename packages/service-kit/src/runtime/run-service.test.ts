import { connect } from 'node:net';
import { RunningService } from '../../test/running-service';

// Each test starts a process or two, which takes long on a busy machine.

describe('a service that receives SIGTERM', () => {
  it('accepts requests during the drain delay and reports that it is stopping', async () => {
    // Far longer than the test: it ends when the second signal comes.
    const service = await RunningService.start({ DRAIN_DELAY_MS: '600000' });
    expect(await service.readiness()).toEqual([200, 'ready']);
    service.child.kill('SIGTERM');
    await service.line('stopping');
    expect(await service.readiness()).toEqual([503, 'stopping']);
    const answer = await fetch(service.publicUrl);
    expect([await answer.text(), answer.headers.get('connection')]).toEqual(['ok', 'close']);
    service.child.kill('SIGTERM');
    await service.exited;
  });

  it('finishes open requests before it stops', async () => {
    const service = await RunningService.start();
    const slow = fetch(`${service.publicUrl}/slow`).then((answer) => answer.text());
    await service.line('slow has come');
    service.child.kill('SIGTERM');
    expect(await slow).toBe('late');
    expect(await service.exited).toEqual([0, null]);
    expect(service.lines.map(({ msg }) => msg)).toEqual([
      'serving',
      'slow has come',
      'stopping',
      'closing within 25000',
      'closed',
      'stopped',
    ]);
  });
});

it('warns of X-Forwarded-For from an address outside TRUSTED_PROXIES', async () => {
  const service = await RunningService.start({ TRUSTED_PROXIES: '10.0.0.0/8' });
  await fetch(service.publicUrl, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
  expect(await service.line('X-Forwarded-For is ignored')).toMatchObject({ level: 40, address: '127.0.0.1' });
  service.child.kill('SIGTERM');
  await service.exited;
});

/** Sends a text as it is, and returns the response. */
async function exchange(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text);
  let received = '';
  for await (const chunk of socket) received += String(chunk);
  return received;
}

describe('a service', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await RunningService.start();
  });
  afterAll(async () => {
    service.child.kill('SIGTERM');
    await service.exited;
  });
  const ends = 'Host: x\r\nConnection: close\r\n';

  it('accepts the whole URL as the target of a request', async () => {
    const received = await exchange(service.publicUrl, `GET http://x.example/seen HTTP/1.1\r\n${ends}\r\n`);
    expect(received).toContain('{"url":"/seen"}');
  });

  it('shows both of two Authorization headers to the authentication', async () => {
    const two = 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n';
    const received = await exchange(service.publicUrl, `GET /seen HTTP/1.1\r\n${two}${ends}\r\n`);
    expect(received).toContain('"authorization":"Bearer a, Bearer b"');
  });

  it.each([
    ['BREW /pot HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 /],
    [`GET /${'x'.repeat(40_000)} HTTP/1.1\r\n${ends}\r\n`, /^HTTP\/1.1 431 /],
  ])('responds with a request id to what is no request (%#)', async (text, status) => {
    const received = await exchange(service.publicUrl, text);
    expect(received).toMatch(status);
    expect(received).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
  });

  it('writes no second response into one that is being sent', async () => {
    const { hostname, port } = new URL(service.publicUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => {
      if (!received.includes('first piece') && piece.includes('first piece'))
        socket.write('BREW /pot HTTP/1.1\r\n\r\n');
      received += piece.toString();
    });
    socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(received).toContain('first piece');
  });
});

describe('a service with an unhandled error', () => {
  it.each([
    ['/reject', 'unhandled promise rejection'],
    ['/throw', 'uncaught exception'],
  ])('%s: logs it as fatal, closes and exits with 1', async (path, message) => {
    const service = await RunningService.start({ DRAIN_DELAY_MS: '600000' });
    await fetch(`${service.publicUrl}${path}`);
    expect(await service.exited).toEqual([1, null]);
    expect((await service.line(message)).level).toBe(60);
    expect(service.lines.map(({ msg }) => msg)).toContain('closed');
  });
});

import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { waitUntil } from '@tributary/test-environment';
import { DeveloperConsoleUnderTest, newEmail } from '../../../test/developer-console-under-test';
import { Mails } from './mails';
import { smtpSender } from './smtp';

const mail = { to: 'ada@example.org', subject: 'A subject', text: 'A text', html: '<p>A text</p>' };

describe('the outbox of mails', () => {
  let console: DeveloperConsoleUnderTest;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
  });
  afterAll(() => console.stop());

  const addTo = (to: string): Promise<void> =>
    console.dependencies.outbox.transaction((_on, send) => send({ ...mail, to }));
  const outboxOf = (replica: number) => console.replicas[replica]!.dependencies.outbox;
  const waiting = async (): Promise<{ attempts: number; seconds: number; sealed: Buffer }[]> =>
    (
      await console.pool.query(
        'SELECT attempts, sealed, extract(epoch FROM due_at - now())::float8 AS seconds FROM mail_outbox',
      )
    ).rows;

  it('has a mail exactly when its transaction is committed, and sealed', async () => {
    const to = newEmail();
    const failed = console.dependencies.outbox.transaction(async (_on, send) => {
      await send({ ...mail, to });
      throw new Error('a failure after the mail');
    });
    await expect(failed).rejects.toThrow();
    expect(await waiting()).toEqual([]);
    // The process is killed here: the mail is in the database, and another replica sends it.
    await addTo(to);
    expect((await waiting())[0]?.sealed.includes(Buffer.from(to))).toBe(false);
    await outboxOf(1).sendDue();
    expect(console.sent.filter((sent) => sent.to === to)).toEqual([{ ...mail, to }]);
    expect(await waiting()).toEqual([]);
  });

  it('sends a mail again, later each time, when the server refuses it, and gives up after a day', async () => {
    const to = newEmail();
    console.refusal = new Error(`450 <${to}> greylisted`);
    await addTo(to);
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      expect(await outboxOf(attempt % 2).sendDue()).toBe(1);
      expect(await outboxOf(attempt % 2).sendDue()).toBe(0);
      const [row] = await waiting();
      expect(row?.attempts).toBe(attempt);
      pauses.push(Math.round((row?.seconds ?? 0) / 60));
      await console.pool.query('UPDATE mail_outbox SET due_at = now()');
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    console.refusal = undefined;
    await console.pool.query('UPDATE mail_outbox SET expires_at = now()');
    const sending = outboxOf(0).start();
    await waitUntil(async () => (await waiting()).length === 0);
    await sending.stop();
    expect(console.sent.filter((sent) => sent.to === to)).toEqual([]);
  });

  it('sends each mail once on two replicas', async () => {
    const addresses = Array.from({ length: 12 }, newEmail);
    for (const to of addresses) await addTo(to);
    while ((await Promise.all([outboxOf(0).sendDue(), outboxOf(1).sendDue()])).some((tried) => tried > 0));
    expect(
      console.sent
        .map(({ to }) => to)
        .filter((to) => addresses.includes(to))
        .sort(),
    ).toEqual(addresses.sort());
  });
});

describe('sending by SMTP', () => {
  /** A mail server without TLS that notes what it is told, and refuses what it is asked to. */
  async function startServer(
    answers: Record<string, string> = {},
  ): Promise<{ server: Server; url: string; told: string[] }> {
    const told: string[] = [];
    const server = createServer((socket: Socket) => {
      let isData = false;
      socket.write('220 test\r\n');
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
          told.push(line);
          const word = line.split(' ')[0] ?? '';
          if (isData && line !== '.') continue;
          isData = word === 'DATA';
          socket.write(`${answers[word] ?? (isData ? '354 go on' : word === 'EHLO' ? '250 test' : '250 ok')}\r\n`);
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, told };
  }

  it('hands a mail to the server', async () => {
    const { server, url, told } = await startServer();
    await smtpSender({ current: url }, 'Tributary <no-reply@example.org>', false)(mail);
    server.close();
    expect(told).toEqual(
      expect.arrayContaining([
        'MAIL FROM:<no-reply@example.org>',
        'RCPT TO:<ada@example.org>',
        'From: Tributary <no-reply@example.org>',
        'Subject: A subject',
      ]),
    );
  });

  it('fails when the server refuses, or offers no TLS to another machine', async () => {
    const { server, url, told } = await startServer({ RCPT: '550 no such user' });
    await expect(smtpSender({ current: url }, 'a@example.org', false)(mail)).rejects.toMatchObject({
      responseCode: 550,
    });
    told.length = 0;
    const remote = url.replace('127.0.0.1', '[::ffff:127.0.0.1]');
    await expect(smtpSender({ current: remote }, 'a@example.org', false)(mail)).rejects.toThrow();
    expect(told.some((line) => line.startsWith('MAIL'))).toBe(false);
    server.close();
  });
});

it('mails show names as text', () => {
  const { html, text } = new Mails('https://tributary.test').invitation('ada@example.org', {
    organisation: '<b>Sleep</b> & "Co"',
    inviter: 'Eve',
    token: 't',
  });
  expect(html).toContain('&lt;b&gt;Sleep&lt;/b&gt; &amp; &quot;Co&quot;');
  expect(text).toContain('<b>Sleep</b> & "Co"');
});

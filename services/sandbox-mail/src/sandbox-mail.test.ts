import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransport } from 'nodemailer';
import request from 'supertest';
import { createApp } from './app';
import { Mailbox, type Message, linkified, maxMessages } from './mailbox';
import { createSmtpServer } from './smtp';

const mailbox = new Mailbox();
const app = createApp(mailbox);
const smtp = createSmtpServer(mailbox);
let url: string;

beforeAll(async () => {
  const server = smtp.listen(0, '127.0.0.1') as unknown as Server;
  await once(server, 'listening');
  url = `smtp://anybody:anything@127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));

const link = 'https://console.example/console/verify?a=1&token=x_-';

async function send(message: Record<string, unknown>): Promise<void> {
  const transport = createTransport(url);
  await transport.sendMail({ from: 'Tributary <no-reply@tributary.example>', ...message });
  transport.close();
}

async function newest(to?: string): Promise<Message> {
  const { body } = await request(app).get('/messages.json').query({ to });
  return (body as Message[])[0]!;
}

describe('a message', () => {
  it('is there as JSON, with its links, for its recipients', async () => {
    const text = `Grüezi\n\nConfirm your address: ${link}. It is ${'long '.repeat(40)}`;
    await send({ to: ['Ada@example.org', 'bo@example.org'], subject: 'Überprüfen Sie', text });
    await send({ to: 'other@example.org', subject: 'Another', text: 'x' });
    const message = await newest('ada@example.org');
    expect(message).toEqual({
      id: expect.any(String) as string,
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
      from: 'no-reply@tributary.example',
      to: ['Ada@example.org', 'bo@example.org'],
      subject: 'Überprüfen Sie',
      text: expect.stringMatching(/^Grüezi\n\n/) as string,
      links: [link],
    });
    expect(message.text.trimEnd()).toBe(text.trimEnd());
    for (const path of [`/messages/${message.id}.json`, `/messages/${message.id}`])
      expect((await request(app).get(path)).body).toEqual(message);
    expect((await request(app).get('/messages').set('Accept', 'application/json')).body).toHaveLength(2);
  });

  it('is a page whose links can be followed, and which runs nothing of the message', async () => {
    await send({ to: 'ada@example.org', subject: '<b>"Subject"</b>', text: `<script>1</script> ${link}` });
    const list = await request(app).get('/').set('Accept', 'text/html');
    expect(list.text).toContain('&#60;b&#62;&#34;Subject&#34;&#60;/b&#62;');
    const { id } = await newest();
    const page = await request(app).get(`/messages/${id}`).set('Accept', 'text/html');
    expect(page.text).toContain(`<a href="${link.replace('&', '&#38;')}">`);
    expect(page.text).toContain('&#60;script&#62;1&#60;/script&#62;');
    expect(page.text).not.toContain('<iframe');
    for (const { headers } of [list, page])
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-[^ ]+'; script-src 'sha256-[^ ]+'; /,
        ) as string,
        'referrer-policy': 'no-referrer',
      });
  });

  it('has its HTML in a frame without scripts', async () => {
    await send({ to: 'ada@example.org', subject: 'HTML', html: '<p onclick="x()">Hello</p><script>1</script>' });
    const { id, text } = await newest();
    expect(text).toBe('');
    expect((await request(app).get(`/messages/${id}`).set('Accept', 'text/html')).text).toContain(
      `<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/messages/${id}.html"`,
    );
    const { headers, text: html } = await request(app).get(`/messages/${id}.html`).set('Accept', 'text/html');
    expect(html).toContain('<p onclick="x()">Hello</p>');
    expect(headers['content-security-policy']).toMatch(/^sandbox allow-popups [^;]*; default-src 'none'; /);
    expect(headers['content-security-policy']).not.toContain('script');
  });

  it('is refused when it is too large', async () => {
    await expect(send({ to: 'ada@example.org', text: 'x'.repeat(1_500_000) })).rejects.toThrow(/552/);
  });

  it('that does not exist is not found', async () => {
    expect(await request(app).get('/messages/none.json')).toMatchObject({ status: 404, type: 'application/json' });
    for (const path of ['/messages/none', '/none'])
      expect(await request(app).get(path).set('Accept', 'text/html')).toMatchObject({ status: 404, type: 'text/html' });
  });
});

it('keeps the last messages only', async () => {
  const full = new Mailbox();
  for (let number = 0; number <= maxMessages; number++)
    await full.add({ from: '', to: ['a@example.org'] }, Buffer.from(`Subject: ${number}\r\n\r\n`));
  expect(full.list().map(({ subject }) => subject)).toEqual(
    Array.from({ length: maxMessages }, (_, index) => String(maxMessages - index)),
  );
});

it.each([
  ['See https://a.example/b.', 'https://a.example/b'],
  ['(http://localhost:4000/console?x=1)', 'http://localhost:4000/console?x=1'],
  ['<https://a.example/?q=a,b>', 'https://a.example/?q=a,b'],
  ['javascript:alert(1) ftp://a.example', undefined],
])('finds the address in: %s', (text, found) => {
  const parts = linkified(text);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  expect(parts.find((part) => part.link)?.link).toBe(found);
});

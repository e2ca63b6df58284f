import { Writable } from 'node:stream';
import { pino } from 'pino';
import { redact } from './redact';

const names = ['access_token', 'refresh_token', 'client_secret', 'app_user_id', 'authorization'];

function logged(fields: object): string {
  const lines: string[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  pino({ formatters: { log: redact } }, output).info(fields, 'line');
  return lines.join('');
}

it.each(names)('replaces the value of %s at both levels, and keeps the other fields', (name) => {
  const line = JSON.parse(logged({ [name]: 'hush', n: 1, inner: { [name]: 'hush', m: 2 } })) as object;
  expect(line).toMatchObject({ [name]: '[redacted]', n: 1, inner: { [name]: '[redacted]', m: 2 } });
});

it('replaces an authorization code, and keeps the code of an error', () => {
  expect(redact({ code: 'hush', err: { code: '23505' } })).toEqual({ code: '[redacted]', err: { code: '23505' } });
});

it('replaces the secrets of an error, and keeps its message, its stack and the error itself', () => {
  const error = Object.assign(new Error('it failed'), { access_token: 'hush', status: 502 });
  const line = logged({ err: error });
  expect(line).not.toContain('hush');
  expect((JSON.parse(line) as { err: object }).err).toMatchObject({
    type: 'Error',
    message: 'it failed',
    stack: error.stack,
    access_token: '[redacted]',
  });
  expect(error.access_token).toBe('hush');
});

it('returns fields without secrets as they are', () => {
  const fields = { requestId: 'r', ms: 1, nothing: null, err: new Error('x') };
  expect(redact(fields)).toBe(fields);
});

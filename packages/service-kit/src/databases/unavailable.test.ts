import { createDatabase } from '@tributary/test-environment';
import { Pool } from 'pg';
import { QueryFailedError } from 'typeorm';
import { InternalCallError } from '@tributary/contracts';
import {
  PartialWorkError,
  isDatabaseUnavailable,
  isDependencyUnavailable,
  isOutcomeUnknown,
  isRedisUnavailable,
} from './unavailable';

const withCode = (code: string): Error => Object.assign(new Error('no'), { code });

describe('the classification of temporary failures', () => {
  it.each([
    [withCode('ECONNREFUSED'), true],
    [withCode('08006'), true],
    [withCode('08P01'), true],
    [withCode('57P01'), true],
    [withCode('57P03'), true],
    [withCode('57014'), true],
    [withCode('53100'), true],
    [withCode('53300'), true],
    [withCode('55P03'), true],
    [withCode('25P03'), true],
    [withCode('28000'), true],
    [withCode('28P01'), true],
    [withCode('40001'), true],
    [withCode('40P01'), true],
    [withCode('23505'), false],
    [withCode('42P01'), false],
    [withCode('22003'), false],
    [new Error('timeout exceeded when trying to connect'), true],
    [new Error('Connection terminated unexpectedly'), true],
    [new Error('Query read timeout'), true],
    [new AggregateError([withCode('ECONNREFUSED')]), true],
    [new QueryFailedError('SELECT 1', [], withCode('57P01')), true],
    [new QueryFailedError('SELECT 1', [], withCode('23505')), false],
    [new Error('outer', { cause: withCode('57P02') }), true],
    [new TypeError('x is not a function'), false],
    ['text', false],
    [undefined, false],
  ])('of PostgreSQL: case %#', (error, expected) => {
    expect(isDatabaseUnavailable(error)).toBe(expected);
    expect(isDependencyUnavailable(error)).toBe(expected);
  });

  it.each([
    [new Error('Command timed out'), true],
    [new Error('Connection is closed.'), true],
    [new Error("Stream isn't writeable and enableOfflineQueue options is false"), true],
    [new Error('MISCONF Redis is configured to save RDB snapshots'), true],
    [new Error('LOADING Redis is loading the dataset in memory'), true],
    [new Error('WRONGPASS invalid username-password pair or user is disabled.'), true],
    [new Error('NOAUTH Authentication required.'), true],
    [new Error('WRONGTYPE Operation against a key'), false],
    [new Error('BUSYGROUP Consumer Group name already exists'), false],
  ])('of Redis: case %#', (error, expected) => {
    expect(isRedisUnavailable(error)).toBe(expected);
  });

  it.each([
    [withCode('ECONNREFUSED'), false],
    [withCode('ECONNRESET'), true],
    [withCode('EPIPE'), true],
    [withCode('57P01'), true],
    [withCode('57P03'), false],
    [withCode('57014'), false],
    [withCode('53100'), false],
    [withCode('28P01'), false],
    [new Error('NOAUTH Authentication required.'), false],
    [new Error('timeout exceeded when trying to connect'), false],
    [new Error('Connection terminated due to connection timeout'), false],
    [new Error('Connection terminated unexpectedly'), true],
    [new Error('Query read timeout'), true],
    [new QueryFailedError('COMMIT', [], new Error('Connection terminated unexpectedly')), true],
    [new InternalCallError('auth', 0, 'call_failed', 'no response'), true],
    [new InternalCallError('auth', 0, 'not_connected', 'no response'), false],
    [new InternalCallError('auth', 502, 'unexpected_response', 'a field'), true],
    [new InternalCallError('auth', 503, 'temporarily_unavailable', 'later', 2), false],
    [new PartialWorkError(withCode('ECONNREFUSED')), true],
    [withCode('WRITE_NOT_CONFIRMED'), true],
    [new TypeError('x is not a function'), false],
  ])('of an unknown outcome: case %#', (error, expected) => {
    expect(isOutcomeUnknown(error)).toBe(expected);
  });

  it('terminates for errors that wrap each other', () => {
    const [one, other] = [new Error('one'), new Error('other')];
    [one.cause, other.cause] = [other, one];
    expect(isDatabaseUnavailable(one)).toBe(false);
  });

  it('matches the real errors of PostgreSQL and the pool', async () => {
    const { url, drop } = await createDatabase();
    const pool = new Pool({ connectionString: url, max: 1 });
    pool.on('error', () => undefined);
    const failure = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(isDatabaseUnavailable(await failure(pool.query(`SET statement_timeout = 10; SELECT pg_sleep(10)`)))).toBe(
      true,
    );
    expect(isDatabaseUnavailable(await failure(pool.query('SELECT pg_terminate_backend(pg_backend_pid())')))).toBe(
      true,
    );
    const only = await pool.connect();
    pool.options.connectionTimeoutMillis = 100;
    expect(isDatabaseUnavailable(await failure(pool.query('SELECT 1')))).toBe(true);
    only.release();
    await pool.end();
    expect(isDatabaseUnavailable(await failure(pool.query('SELECT 1')))).toBe(true);
    const nowhere = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/x' });
    expect(isDatabaseUnavailable(await failure(nowhere.query('SELECT 1')))).toBe(true);
    await drop();
  });
});

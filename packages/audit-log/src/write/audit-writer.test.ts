import { startTcpProxy, waitUntil } from '@tributary/test-environment';
import { Client } from 'pg';
import { AuditDatabase, roleOf } from '../../test/audit-database';
import { expectedHash, noPrevious } from '../block/block';
import { type NewAuditEvent, eventIdOf } from '../event/audit-event';
import type { AuditWriter } from './audit-writer';
import { AuditUnavailable } from './audit-trail';

let database: AuditDatabase;
beforeAll(async () => {
  database = await AuditDatabase.create();
});
afterAll(() => database.drop());

function read(subject: number): NewAuditEvent {
  const agent = { clientId: 'app', serviceUserId: subject };
  return { kind: 'fhir.read', action: 'R', outcome: 'success', status: 200, requestId: `r${subject}`, agent, subject };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The subjects of the events of each block; lifecycle events have none. */
async function subjectsOf({ streamId }: AuditWriter): Promise<(number | undefined)[][]> {
  return (await database.events(streamId)).map((events) => events.map(({ subject }) => subject));
}

async function expectChain({ streamId }: AuditWriter): Promise<void> {
  let previous = noPrevious;
  for (const [sequence, block] of (await database.blocks(streamId)).entries()) {
    expect(block.sequence).toBe(sequence);
    expect(block.previous).toEqual(previous);
    expect(expectedHash(block)).toEqual(block.hash);
    previous = block.hash;
  }
}

/** Waits until a statement waits for a lock. */
async function untilLocked(): Promise<void> {
  await waitUntil(async () => {
    const { rowCount } = await database.superuser.query(
      `SELECT FROM pg_stat_activity WHERE usename = $1 AND wait_event_type = 'Lock'`,
      [roleOf(database.writer)],
    );
    return rowCount;
  });
}

it('writes what is recorded during a write as one block, in order, and begins and ends the stream', async () => {
  const writer = await database.open();
  await waitUntil(async () => (await database.blocks(writer.streamId)).length > 0);
  const unlock = await database.lockBlocks();
  const first = writer.record(read(1));
  await untilLocked();
  const others = numbers(20).map((n) => writer.record(read(n + 1)));
  await unlock();
  expect(await first).toBe(eventIdOf({ streamId: writer.streamId, sequence: 1, index: 0 }));
  expect(await Promise.all(others)).toEqual(
    others.map((_, index) => eventIdOf({ streamId: writer.streamId, sequence: 2, index })),
  );
  await writer.close();
  expect(await subjectsOf(writer)).toEqual([[undefined], [1], numbers(20).map((n) => n + 1), [undefined]]);
  const [started, , , stopped] = await database.events(writer.streamId);
  expect([started?.[0]?.kind, stopped?.[0]?.kind]).toEqual(['service.started', 'service.stopped']);
  await expectChain(writer);
});

it('records an event once when the confirmation of its COMMIT is lost', async () => {
  const proxy = await startTcpProxy(database.writer.url);
  const writer = await database.open({ url: proxy.url });
  await writer.record(read(6));
  const before = await database.blocks(writer.streamId);
  // The statement is named, so its execution is what follows its binding.
  proxy.holdFrom('audit-block', 'responses');
  const recorded = writer.record(read(7));
  await waitUntil(async () => (await database.blocks(writer.streamId)).length > before.length);
  const { rows } = await database.superuser.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1',
    [roleOf(database.writer)],
  );
  expect(rows).toHaveLength(1);
  proxy.resume();
  expect(await recorded).toBe(eventIdOf({ streamId: writer.streamId, sequence: before.length, index: 0 }));
  await writer.record(read(8));
  await writer.close();
  await proxy.close();
  expect((await subjectsOf(writer)).flat()).toEqual([undefined, 6, 7, 8, undefined]);
  await expectChain(writer);
});

it('loses nothing that it has confirmed while its connections are ended again and again', async () => {
  const writer = await database.open();
  const confirmed: string[] = [];
  let isOver = false;
  const load = numbers(8).map(async (user) => {
    for (let n = 0; n < 25; n++) confirmed.push(`${await writer.record(read(user))} ${user}`);
  });
  const terminate = async (): Promise<boolean> => {
    await database.superuser.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [
      roleOf(database.writer),
    ]);
    return isOver;
  };
  // Longer than a new connection needs for its first block.
  const ending = waitUntil(terminate, 'the load ends', 60);
  await Promise.all(load);
  isOver = true;
  await ending;
  await writer.close();
  const written = (await database.events(writer.streamId)).flatMap((events, sequence) =>
    events.map(({ subject }, index) => `${eventIdOf({ streamId: writer.streamId, sequence, index })} ${subject}`),
  );
  expect(written.slice(1, -1).sort()).toEqual(confirmed.sort());
  await expectChain(writer);
});

it('refuses an event when too many wait', async () => {
  const writer = await database.open({ maxWaiting: 3 });
  await writer.record(read(9));
  const unlock = await database.lockBlocks();
  const recorded = numbers(3).map((n) => writer.record(read(n)));
  await expect(writer.record(read(4))).rejects.toThrow(AuditUnavailable);
  await unlock();
  await Promise.all(recorded);
  await writer.record(read(5));
  await writer.close();
  expect((await subjectsOf(writer)).flat()).toEqual([undefined, 9, 1, 2, 3, 5, undefined]);
});

it('refuses an event that is not durable in time, and writes it later', async () => {
  const writer = await database.open({ timeoutMs: 1 });
  const unlock = await database.lockBlocks();
  await expect(writer.record(read(1))).rejects.toThrow(/does not answer in time/);
  await expect(writer.record(read(2))).rejects.toThrow(AuditUnavailable);
  await unlock();
  await writer.close();
  expect((await subjectsOf(writer)).flat().slice(0, 3)).toEqual([undefined, 1, 2]);
  await expectChain(writer);
});

it('ends while the database cannot be reached', async () => {
  const proxy = await startTcpProxy(database.writer.url);
  const writer = await database.open({ url: proxy.url, timeoutMs: 1 });
  await proxy.close();
  await expect(writer.record(read(1))).rejects.toThrow(AuditUnavailable);
  await writer.close();
  await expect(writer.record(read(2))).rejects.toThrow('stopping');
});

it('does not begin without the tables', async () => {
  await database.superuser.query('ALTER SCHEMA audit RENAME TO elsewhere');
  await expect(database.open()).rejects.toThrow('SQLSTATE 42P01');
  await database.superuser.query('ALTER SCHEMA elsewhere RENAME TO audit');
});

it('begins while the database cannot be reached, and writes once it can', async () => {
  const proxy = await startTcpProxy(database.writer.url);
  const [port, url] = [new URL(proxy.url).port, proxy.url];
  await proxy.close();
  let ports = [port];
  const writer = await database.open({
    createClient: () => new Client({ connectionString: Object.assign(new URL(url), { port: ports[0] }).href }),
  });
  const recorded = writer.record(read(1));
  ports = [new URL(database.writer.url).port];
  await recorded;
  await writer.close();
  expect((await subjectsOf(writer)).flat()).toEqual([undefined, 1, undefined]);
});

it('begins while the password of the role is replaced, when the next client has another one', async () => {
  const passwords = ['a password that is not valid', new URL(database.writer.url).password];
  const writer = await database.open({
    createClient: () => {
      const [password] = passwords.length > 1 ? passwords.splice(0, 1) : passwords;
      return new Client({ connectionString: Object.assign(new URL(database.writer.url), { password }).href });
    },
  });
  await writer.record(read(1));
  await writer.close();
  expect((await subjectsOf(writer)).flat()).toEqual([undefined, 1, undefined]);
});

it('does not begin with a key of another kind', async () => {
  await expect(database.open({ sealingKey: 'AAAA' })).rejects.toThrow();
});

it('refuses an event that is not valid, and no other', async () => {
  const writer = await database.open();
  const recorded = writer.record(read(2));
  await expect(writer.record(read(1.5))).rejects.toThrow('not valid');
  await recorded;
  await writer.close();
  expect((await subjectsOf(writer)).flat()).toEqual([undefined, 2, undefined]);
  await expectChain(writer);
});

it('makes several blocks of events that are too large for one, and refuses one that is too large', async () => {
  const writer = await database.open();
  const large = (bytes: number): NewAuditEvent => ({ ...read(7), userAgent: 'x'.repeat(bytes) });
  const sent = [60_000, 70_000, ...Array.from({ length: 5 }, () => 60_000)];
  const results = await Promise.allSettled(sent.map((size) => writer.record(large(size))));
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(sent.map((size) => size === 60_000));
  await writer.close();
  const sizes = (await database.events(writer.streamId)).map((events) =>
    events.map(({ userAgent }) => userAgent?.length),
  );
  expect(sizes.flat()).toEqual([undefined, ...sent.filter((size) => size === 60_000), undefined]);
  expect(sizes.length).toBeGreaterThan(2);
  await expectChain(writer);
});

it('begins its stream again when the database has lost it, as in a failover', async () => {
  const writer = await database.open();
  await writer.record(read(1));
  await database.superuser.query('DELETE FROM audit.stream WHERE stream_id = $1', [writer.streamId]);
  await writer.record(read(2));
  await writer.close();
  expect((await subjectsOf(writer)).flat()).toEqual([undefined, 1, 2, undefined]);
});

it('keeps the streams of two writers apart', async () => {
  const writers = await Promise.all([database.open(), database.open({ preparesStatements: false })]);
  await Promise.all(numbers(30).map((n) => writers[n % 2]!.record(read(n))));
  await Promise.all(writers.map((writer) => writer.close()));
  for (const [index, writer] of writers.entries()) {
    const subjects = (await subjectsOf(writer)).flat().slice(1, -1);
    expect(subjects).toEqual(numbers(30).filter((n) => n % 2 === index));
    await expectChain(writer);
  }
});

function refused(clientId: string, address: string): NewAuditEvent {
  return { kind: 'token.refused', action: 'E', outcome: 'refused', agent: { clientId }, address };
}

it('has an event for each refusal, durable when it resolves, and counts those of an address that sends many', async () => {
  const writer = await database.open();
  // Another client each time: an address cannot evade the limit by what it claims.
  for (const n of numbers(25)) await writer.recordRefused(refused(`client-${n}`, '192.0.2.1'));
  await writer.recordRefused(refused('app', '192.0.2.2'));
  const durable = (await database.events(writer.streamId)).flat().slice(1);
  expect(durable.map(({ agent }) => agent.clientId)).toEqual([
    ...numbers(25)
      .slice(0, 20)
      .map((n) => `client-${n}`),
    'app',
  ]);
  await writer.close();
  const counted = (await database.events(writer.streamId)).flat().slice(22, -1);
  expect(counted.map(({ address, entities }) => [address, entities])).toEqual(
    Array.from({ length: 5 }, () => ['192.0.2.1', [{ count: 1 }]]),
  );
});

it('adds up counted events by kind, client and address', async () => {
  const writer = await database.open();
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) writer.count(refused('app', address));
  writer.count(refused('other', '192.0.2.1'));
  await writer.close();
  const counted = (await database.events(writer.streamId)).flat().slice(1, -1);
  expect(counted.map(({ agent, address, entities }) => [agent.clientId, address, entities])).toEqual([
    ['app', '192.0.2.1', [{ count: 2 }]],
    ['app', '192.0.2.2', [{ count: 1 }]],
    ['other', '192.0.2.1', [{ count: 1 }]],
  ]);
});

import { type AddressInfo, type Server, connect, createServer } from 'node:net';
import { type IssuedCertificates, issueCertificates } from '@tributary/certificates';
import { type TestTlsPostgres, startTlsPostgres, waitUntil } from '@tributary/test-environment';
import { Client, Pool } from 'pg';
import { CancellableQueries } from './cancellable-queries';
import { PipelinedConnections } from './pipelined-connections';
import { run } from './statement';

const applicationData = 23;

let issued: IssuedCertificates<'server'>;
let postgres: TestTlsPostgres;
let proxy: Server;
/** How many TLS records with data the clients have sent. */
let records = 0;
/** Whether new connections get no response. */
let isSilent = false;
let pool: Pool;

beforeAll(async () => {
  issued = await issueCertificates({ server: ['127.0.0.1'] });
  postgres = await startTlsPostgres({ ...issued.certificates.server, authority: issued.authority });
  const { port } = new URL(postgres.url);
  proxy = createServer((client) => {
    if (isSilent) return;
    const server = connect(Number(port), '127.0.0.1');
    client.on('data', countRecords());
    client.on('error', () => server.destroy()).pipe(server);
    server.on('error', () => client.destroy()).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(postgres.url);
  url.port = String((proxy.address() as AddressInfo).port);
  pool = new Pool({ connectionString: url.href, max: 2, ssl: { ca: issued.authority } });
  pool.on('error', () => undefined);
});

afterAll(async () => {
  await pool.end();
  proxy.close();
  await postgres.stop();
});

/** Counts the records of a connection (RFC 8446, section 5.1), which follow a SSLRequest of eight bytes. */
function countRecords(): (piece: Buffer) => void {
  let received = Buffer.alloc(0);
  let offset = 8;
  return (piece) => {
    received = Buffer.concat([received, piece]);
    while (offset + 5 <= received.length) {
      if (received[offset] === applicationData) records++;
      offset += 5 + received.readUInt16BE(offset + 3);
    }
  };
}

it('sends the statements of one iteration of the event loop in one record', async () => {
  const connections = new PipelinedConnections(pool, 'repeatable', 1);
  const echo = { name: 'echo', text: 'SELECT $1::integer' };
  await run(connections, echo, [0]);
  records = 0;
  const rows = await Promise.all(Array.from({ length: 50 }, (_, n) => run(connections, echo, [n])));
  expect(rows.map(([row]) => row?.[0])).toEqual(Array.from({ length: 50 }, (_, n) => n));
  expect(records).toBe(1);
  await connections.close();
});

it('cancels a statement over TLS', async () => {
  const controller = new AbortController();
  const statements = new CancellableQueries(pool, controller.signal);
  const running = async (): Promise<number> =>
    (await pool.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'`))
      .rowCount ?? 0;
  const gone = new Error('the caller is gone');
  const outcome = expect(statements.query({ text: 'SELECT pg_sleep(600)', rowMode: 'array' })).rejects.toBe(gone);
  await waitUntil(running);
  controller.abort(gone);
  await outcome;
  await waitUntil(async () => (await running()) === 0);
});

it('releases the connection of a statement whose cancellation gets no response', async () => {
  const controller = new AbortController();
  const statements = new CancellableQueries(pool, controller.signal);
  const holder = new Client({ connectionString: pool.options.connectionString, ssl: pool.options.ssl });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(1)');
  const outcome = Promise.allSettled([statements.query({ text: 'SELECT pg_advisory_lock(1)', rowMode: 'array' })]);
  await waitUntil(
    async () => (await holder.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'advisory'`)).rowCount,
  );
  isSilent = true;
  controller.abort(new Error('the caller is gone'));
  await holder.end();
  await outcome;
  isSilent = false;
  expect(pool.idleCount).toBe(pool.totalCount);
});

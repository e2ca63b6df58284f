import { type AddressInfo, type Server, connect, createServer } from 'node:net';
import { type IssuedCertificates, issueCertificates } from '@tributary/certificates';
import { type TestTlsPostgres, startTlsPostgres } from '@tributary/test-environment';
import { Pool } from 'pg';
import { PipelinedConnections } from './pipelined-connections';
import { run } from './statement';

const applicationData = 23;

let issued: IssuedCertificates<'server'>;
let postgres: TestTlsPostgres;
let proxy: Server;
/** How many TLS records with data the clients have sent. */
let records = 0;
let pool: Pool;

beforeAll(async () => {
  issued = await issueCertificates({ server: ['127.0.0.1'] });
  postgres = await startTlsPostgres({ ...issued.certificates.server, authority: issued.authority });
  const { port } = new URL(postgres.url);
  proxy = createServer((client) => {
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

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, createServer } from 'node:tls';
import { type IssuedCertificates, issueCertificates } from '@tributary/certificates';
import { type TestTlsPostgres, startTlsPostgres, testRedis } from '@tributary/test-environment';
import { createLog } from '../runtime/log';
import { type DatabaseConfig, databaseConfig } from '../config/database-config';
import { openDatabase, openPool } from './database';
import { type RedisClient, openRedis, openWorkerRedis, untilReady } from './redis';

const log = createLog('test', 'silent');
const schema = 'kit';

let issued: IssuedCertificates<'server' | 'other'>;
let folder: string;
/** The paths of the certificate of the authority of the servers, and of another one. */
let authority: string;
let foreignAuthority: string;

beforeAll(async () => {
  issued = await issueCertificates({ server: ['127.0.0.1'], other: ['other.example'] });
  const foreign = await issueCertificates({});
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
  [authority, foreignAuthority] = ['authority', 'foreign'].map((name) => join(folder, `${name}.pem`)) as [
    string,
    string,
  ];
  writeFileSync(authority, issued.authority);
  writeFileSync(foreignAuthority, foreign.authority);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a PostgreSQL server with TLS', () => {
  let postgres: TestTlsPostgres;
  const config = (settings: Record<string, string>, url = postgres.url): DatabaseConfig =>
    databaseConfig.parse({ DATABASE_URL: url, ...settings });
  const isEncrypted = async (settings: Record<string, string>, url?: string): Promise<unknown> => {
    const pool = openPool(config(settings, url), schema, { size: 1 });
    try {
      const sql = 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      return (await pool.query<{ ssl: boolean; version: string }>(sql)).rows[0];
    } finally {
      await pool.end();
    }
  };

  beforeAll(async () => {
    postgres = await startTlsPostgres({ ...issued.certificates.server, authority: issued.authority });
  });
  afterAll(() => postgres.stop());

  it('is used with encryption, whatever the URL says', async () => {
    const encrypted = { ssl: true, version: expect.stringMatching(/^TLSv1\.[23]$/) };
    const { url } = postgres;
    for (const suffix of ['', '?sslmode=disable', '?sslmode=no-verify&application_name=x'])
      expect(await isEncrypted({ DATABASE_CA_FILE: authority }, `${url}${suffix}`)).toEqual(encrypted);
    const source = await openDatabase({
      database: config({ DATABASE_CA_FILE: authority }),
      schema,
      entities: [],
      migrations: [],
    });
    expect(await source.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([{ ssl: true }]);
    await source.destroy();
  });

  it('is refused with a certificate of another authority, or of another host', async () => {
    await expect(isEncrypted({ DATABASE_CA_FILE: foreignAuthority })).rejects.toThrow(/certificate/);
    const ofAnother = await startTlsPostgres({ ...issued.certificates.other, authority: issued.authority });
    await expect(isEncrypted({ DATABASE_CA_FILE: authority }, ofAnother.url)).rejects.toThrow('altnames');
    await ofAnother.stop();
  });
});

describe('a Redis server with TLS', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const { hostname, port } = new URL(testRedis().url);
    const { certificate, key } = issued.certificates.server;
    server = createServer({ cert: certificate, key }, (socket) => {
      const redis = connect(Number(port), hostname);
      socket.on('error', () => redis.destroy()).pipe(redis);
      redis.on('error', () => socket.destroy()).pipe(socket);
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = new URL(testRedis().url);
    address.protocol = 'rediss:';
    address.port = String((server.address() as AddressInfo).port);
    url = address.href;
  });
  afterAll(() => void server.close());

  it.each([
    ['of requests', openRedis],
    ['of a worker', openWorkerRedis],
  ])('is used with encryption by the connection %s and its duplicate', async (_whose, open) => {
    const redis = open({ REDIS_URL: url, REDIS_CA_FILE: authority }, log);
    await untilReady(redis);
    expect(await redis.ping()).toBe('PONG');
    const duplicate = redis.duplicate();
    await untilReady(duplicate);
    expect(await duplicate.ping()).toBe('PONG');
    duplicate.disconnect();
    redis.disconnect();
  });

  it('is refused with a certificate of another authority', async () => {
    const errors: string[] = [];
    const redis: RedisClient = openRedis({ REDIS_URL: url, REDIS_CA_FILE: foreignAuthority }, log);
    await new Promise<void>((resolve) =>
      redis.on('error', (error: Error) => {
        errors.push(error.message);
        resolve();
      }),
    );
    expect(errors[0]).toMatch(/certificate/);
    expect(redis.status).not.toBe('ready');
    redis.disconnect();
  });
});

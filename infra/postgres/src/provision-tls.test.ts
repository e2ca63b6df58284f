import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificates } from '@tributary/certificates';
import { type TestTlsPostgres, startTlsPostgres } from '@tributary/test-environment';
import { type DatabaseUser, type SuperuserServer, databaseUsers, provision } from './provision';

const passwords = Object.fromEntries(databaseUsers.map((user) => [user, `${user}-password`])) as Record<
  DatabaseUser,
  string
>;

describe('provision over TLS', () => {
  let folder: string;
  let postgres: TestTlsPostgres;
  const authorityFile = (name: string): string => join(folder, `${name}.pem`);

  beforeAll(async () => {
    const { authority, certificates } = await issueCertificates({ server: ['127.0.0.1'] });
    folder = mkdtempSync(join(tmpdir(), 'provision-'));
    writeFileSync(authorityFile('own'), authority);
    writeFileSync(authorityFile('foreign'), (await issueCertificates({})).authority);
    postgres = await startTlsPostgres({ ...certificates.server, authority });
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(['', '?sslmode=disable', '?sslmode=no-verify'])(
    'verifies the server with the authorities given, whatever the URL says: %s',
    async (query) => {
      const DATABASE_URL = `${postgres.url}${query}`;
      // The server accepts only encrypted connections.
      await provision({ DATABASE_URL, DATABASE_CA_FILE: authorityFile('own') }, passwords);
      const foreign = { DATABASE_URL, DATABASE_CA_FILE: authorityFile('foreign') };
      await expect(provision(foreign, passwords)).rejects.toThrow(/certificate/);
    },
  );

  it('sets the last one of several passwords of the superuser, which is then valid alone', async () => {
    const address = new URL(postgres.url);
    const server = (...accepted: string[]): SuperuserServer => ({
      DATABASE_URL: Object.assign(new URL(address), { password: '' }).href,
      DATABASE_CA_FILE: authorityFile('own'),
      DATABASE_PASSWORD: { accepted, current: accepted[0] as string },
    });
    const present = decodeURIComponent(address.password);
    await provision(server(present), passwords);
    await provision(server(present, 'the next one'), passwords);
    await expect(provision(server(present), passwords)).rejects.toThrow('password authentication failed');
    await provision(server('the next one'), passwords);
    await provision(server('the next one', present), passwords);
  });
});

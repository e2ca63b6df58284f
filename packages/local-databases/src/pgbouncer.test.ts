import { startPgBouncer } from './pgbouncer';

jest.mock('./executable', () => ({ findExecutable: () => undefined }));

it('says how PgBouncer is installed where it is not', async () => {
  const start = startPgBouncer({ serverPort: 5432, passwords: {}, poolSize: 1, maxClients: 1 });
  await expect(start).rejects.toThrow('PgBouncer is not installed. Install it with `apt-get install pgbouncer`');
});

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServerCertificate, reachableTemporaryDirectory, startPostgres } from '@tributary/local-databases';

export interface TestTlsPostgres {
  /** Connects as the superuser, from 127.0.0.1 and with TLS only. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A PostgreSQL server of its own that accepts only encrypted connections. */
export async function startTlsPostgres(tls: ServerCertificate): Promise<TestTlsPostgres> {
  // A directory that is left behind by a killed run is removed as those of other test servers are.
  const folder = await mkdtemp(join(reachableTemporaryDirectory(), 'tributary-test-'));
  // The server runs as another user, who needs search permission.
  await chmod(folder, 0o711);
  const server = await startPostgres({
    dataDirectory: join(folder, 'postgres'),
    binDirectory: process.env['TEST_POSTGRES_BIN'],
    settings: { fsync: 'off' },
    tls,
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

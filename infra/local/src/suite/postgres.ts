import { copyAsReplica, startPgBouncer, startPostgres } from '@tributary/local-databases';
import { databaseUsers, provision, roleOf } from '@tributary/postgres';
import type { SuiteCertificates } from './certificates';
import type { Addresses } from './addresses';
import type { Home } from './home';
import { SupervisedServer } from './supervised-server';

/** How the services connect to PostgreSQL. */
export interface PostgresSettings {
  port: number;
  /** Whether PgBouncer in transaction mode listens there. */
  isPooled: boolean;
  /** The port of the streaming replica that exports read records from. */
  replicaPort?: number | undefined;
}

export interface SuitePostgres {
  settings: PostgresSettings;
  /** The process id of each server; 0 for one that does not run. */
  pids(): Record<string, number>;
}

interface Options {
  home: Home;
  addresses: Addresses;
  certificates: SuiteCertificates | undefined;
  hasPgBouncer: boolean;
  hasReadReplica: boolean;
  /** Receives how each server is stopped, in the order of their starts. */
  stops: (() => Promise<unknown>)[];
  warn(message: string): void;
  restarted(): void;
}

/** One replica of each service opens at most 128 connections; the rest is for operators and tests. */
const connectionsPerReplica = 140;
const furtherConnections = 50;
/** The connections of PgBouncer for each role: fewer than each service opens to PgBouncer. */
const pooledConnections = 10;

/** Starts PostgreSQL with the schemas and roles of the services, and what the services reach it through. */
export async function startSuitePostgres(options: Options): Promise<SuitePostgres> {
  const { home, addresses, certificates, hasPgBouncer, hasReadReplica, stops } = options;
  const maxConnections = addresses.replicas * connectionsPerReplica + furtherConnections;
  // A replica keeps up without an archive of the log while it is restarted.
  const settings = { max_connections: maxConnections, ...(hasReadReplica ? { wal_keep_size: '1GB' } : {}) };
  const [port, replicaPort] = [addresses.port('postgres'), addresses.port('postgres replica')];
  const tls = certificates?.read('postgres');
  const servers: Record<string, SupervisedServer> = {};
  const supervise = async <Kind extends SupervisedServer['current']>(
    key: string,
    name: string,
    start: () => Promise<Kind>,
  ): Promise<Kind> => {
    const server = await SupervisedServer.start(name, start, options.warn, options.restarted);
    servers[key] = server;
    stops.push(() => server.stop());
    return server.current;
  };
  const start = () => startPostgres({ dataDirectory: home.postgres, port, settings, tls });

  if (hasReadReplica) {
    const { url, stop } = await start();
    await stop();
    await copyAsReplica(home.postgres, home.postgresReplica, url);
  }
  const { url } = await supervise('postgres', 'PostgreSQL', start);
  if (hasReadReplica)
    await supervise('postgres-replica', 'the replica of PostgreSQL', () =>
      startPostgres({ dataDirectory: home.postgresReplica, port: replicaPort, settings }),
    );
  await provision({ DATABASE_URL: url, DATABASE_CA_FILE: certificates?.authorityFile }, home.secrets.databasePasswords);
  if (hasPgBouncer)
    await supervise('pgbouncer', 'PgBouncer', () =>
      startPgBouncer({
        serverPort: port,
        port: addresses.port('pgbouncer'),
        passwords: Object.fromEntries(
          databaseUsers.map((user) => [roleOf(user), home.secrets.databasePasswords[user]]),
        ),
        poolSize: pooledConnections,
        maxClients: maxConnections,
        directory: home.pgbouncer,
      }),
    );
  return {
    settings: {
      port: hasPgBouncer ? addresses.port('pgbouncer') : port,
      isPooled: hasPgBouncer,
      ...(hasReadReplica ? { replicaPort } : {}),
    },
    pids: () => Object.fromEntries(Object.entries(servers).map(([key, { current }]) => [key, current.pid ?? 0])),
  };
}

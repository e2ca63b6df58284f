import { z } from 'zod';
import { secret } from './secrets';

const milliseconds = z.coerce.number().int().min(0).max(86_400_000);

/** A number of connections, for services that need another default. */
export const poolSize = z.coerce.number().int().min(1).max(200);

/**
 * The PostgreSQL settings of a service, the same variables in every service. A service with other defaults replaces
 * single fields. A time of 0 means no limit.
 */
export const databaseConfig = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .describe("the PostgreSQL database, with this service's own role"),
  MIGRATION_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional()
    .describe(
      'where migrations run, such as PostgreSQL itself when DATABASE_URL leads to a pooler; DATABASE_URL by default',
    ),
  DATABASE_PASSWORD: secret(1)
    .optional()
    .describe(
      'the password of the role, in place of one in the URL. The file of DATABASE_PASSWORD_FILE can have several while it is replaced: the one that PostgreSQL accepts is used',
    ),
  DATABASE_CA_FILE: z
    .string()
    .optional()
    .describe(
      'the certificates, in PEM, of the authorities of the PostgreSQL server; connections are then encrypted and the server verified, whatever sslmode the URL has',
    ),
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .describe(
      'transaction: DATABASE_URL leads to a PgBouncer in transaction mode, so no prepared statements and no startup parameters are used',
    ),
  DATABASE_POOL_SIZE: poolSize.default(10).describe('connections to PostgreSQL at most'),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds
    .default(5000)
    .describe('how long a request waits for a connection, in milliseconds'),
  DATABASE_STATEMENT_TIMEOUT_MS: milliseconds
    .default(30_000)
    .describe(
      'how long a statement may run, in milliseconds; 0 also removes the limits of 10 s for the wait for a lock and of 30 s between two statements of a transaction',
    ),
});
export type DatabaseConfig = z.infer<typeof databaseConfig>;

/** The settings without time limits of statements, for administrative commands that run long. */
export function withoutTimeLimits(config: DatabaseConfig): DatabaseConfig {
  return { ...config, DATABASE_STATEMENT_TIMEOUT_MS: 0 };
}

import { sixYearsInDays } from '@tributary/audit-log';
import { type Secret, commonConfig, databaseConfig, readConfig, secret } from '@tributary/service-kit';
import { z } from 'zod';
import { type DatabaseUser, type ProvisionOptions, type SuperuserServer, databaseUsers } from './provision';

/** How an operator's command connects to PostgreSQL as the role that provisions it. */
export const superuserConfig = commonConfig.pick({ SANDBOX_MODE: true, REQUIRE_TLS: true }).extend({
  SUPERUSER_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .describe('the PostgreSQL server, with a role that may create roles and databases'),
  SUPERUSER_PASSWORD: secret(1)
    .optional()
    .describe('the password of this role, in place of one in the URL; of several lines, the last one is set'),
  DATABASE_CA_FILE: databaseConfig.shape.DATABASE_CA_FILE,
});

type Underscored<Name extends string> = Name extends `${infer Start}-${infer Rest}`
  ? `${Start}_${Underscored<Rest>}`
  : Name;
type PasswordVariable = `${Uppercase<Underscored<DatabaseUser>>}_DATABASE_PASSWORD`;

const passwordFields = Object.fromEntries(
  databaseUsers.map((user) => [
    passwordVariable(user),
    secret(1).describe(`the password of the role of ${user}; of several lines, the last one is set`),
  ]),
) as Record<PasswordVariable, z.ZodType<Secret>>;

const provisionConfig = superuserConfig.extend({
  AUDIT_RETENTION_DAYS: z.coerce
    .number('must be a number of days')
    .int('must be a number of days')
    .min(1)
    .max(99_999)
    .optional()
    .describe('how long the audit log is kept, in days; six years by default, and at least without SANDBOX_MODE=true'),
  ...passwordFields,
});

/** What `provision` needs. */
interface ProvisionSettings {
  server: SuperuserServer;
  passwords: Record<DatabaseUser, string>;
  options: ProvisionOptions;
}

/** @throws Error as readConfig does; without SANDBOX_MODE=true, it refuses what is not safe */
export function readProvisionSettings(environment: NodeJS.ProcessEnv): ProvisionSettings {
  const config = readConfig(provisionConfig, environment);
  const { AUDIT_RETENTION_DAYS: retentionDays = sixYearsInDays, SANDBOX_MODE: isSandbox } = config;
  if (retentionDays < sixYearsInDays && !isSandbox)
    throw new Error(`AUDIT_RETENTION_DAYS: must be at least ${sixYearsInDays}, six years (45 CFR 164.316(b)(2)(i))`);
  const passwords = databaseUsers.map((user) => [user, config[passwordVariable(user)].accepted.at(-1)] as const);
  return {
    server: serverOf(config),
    passwords: Object.fromEntries(passwords) as Record<DatabaseUser, string>,
    options: { auditRetentionDays: retentionDays },
  };
}

export function serverOf(config: z.output<typeof superuserConfig>): SuperuserServer {
  return {
    DATABASE_URL: config.SUPERUSER_URL,
    DATABASE_PASSWORD: config.SUPERUSER_PASSWORD,
    DATABASE_CA_FILE: config.DATABASE_CA_FILE,
  };
}

/** The variable with the password of the role of a service. */
function passwordVariable(user: DatabaseUser): PasswordVariable {
  return `${user.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD` as PasswordVariable;
}

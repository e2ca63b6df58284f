import { type AuditTrail, AuditWriter, noAuditTrail } from '@tributary/audit-log';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { DatabaseConfig } from '../config/database-config';
import { secret } from '../config/secrets';
import { softwareVersion } from '../config/software-version';
import { clientClass, connectionOptions } from '../databases/pool-options';

/** The variable of processes that record audit events. */
export const auditConfig = z.object({
  AUDIT_SEALING_KEY: secret(300)
    .optional()
    .describe(
      'the public key that seals the audit log (RSA, SubjectPublicKeyInfo in base64); without it no audit log is kept, which only the sandbox mode allows',
    ),
});

export interface AuditSettings extends DatabaseConfig, z.output<typeof auditConfig> {}

/** The trail of a process, which ends with it. */
export interface ProcessAuditTrail extends AuditTrail {
  close(): Promise<void>;
}

/** How long an insertion may take, in milliseconds. It includes the time that PostgreSQL waits for the disk. */
const insertTimeoutMs = 5000;

/**
 * Opens the audit trail of a process, over a connection of its own to the database of the service.
 * @param settings absent in a process without a database, which records nothing
 * @throws Error when the database refuses it; a database that cannot be reached is tried again
 */
export async function openAuditTrail(
  service: string,
  settings: AuditSettings | undefined,
  log: Logger,
): Promise<ProcessAuditTrail> {
  if (settings?.AUDIT_SEALING_KEY === undefined) {
    if (settings) log.warn('no audit log is kept, because AUDIT_SEALING_KEY is not set');
    return { ...noAuditTrail, close: () => Promise.resolve() };
  }
  const hasPooler = settings.DATABASE_POOLER === 'transaction';
  const AuditClient = clientClass(settings);
  return AuditWriter.open({
    service,
    version: softwareVersion,
    sealingKey: settings.AUDIT_SEALING_KEY.current,
    preparesStatements: !hasPooler,
    createClient: () =>
      new AuditClient({
        ...connectionOptions(settings),
        application_name: 'audit',
        connectionTimeoutMillis: settings.DATABASE_CONNECT_TIMEOUT_MS,
        query_timeout: insertTimeoutMs,
        keepAlive: true,
        // The default of the server may differ, and a confirmed event must not be lost.
        ...(hasPooler ? {} : { options: `-c synchronous_commit=on -c statement_timeout=${insertTimeoutMs}` }),
      }),
    log,
  });
}

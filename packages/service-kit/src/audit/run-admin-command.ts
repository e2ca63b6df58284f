import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { AuditEvent, NewAuditEvent } from '@tributary/audit-log';
import { z } from 'zod';
import { databaseConfig } from '../config/database-config';
import { readConfig } from '../config/read-config';
import { createLog } from '../runtime/log';
import { auditConfig, openAuditTrail } from './open-audit-trail';

/** The variables that every operator's command reads. */
const commandConfig = z.object({
  ...databaseConfig.shape,
  ...auditConfig.shape,
  AUDIT_OPERATOR: z
    .string()
    .max(100)
    .optional()
    .describe('who runs the command, for the audit log; by default the user of the operating system and the host'),
});

/**
 * Runs an operator's command of a service, with an audit event before it and one after it. A command that cannot be
 * recorded is not run. A request for help is not recorded, and needs no database.
 * @param words the command with its arguments
 * @param run sets `process.exitCode` or throws when the command fails
 * @throws what the command throws, and Error when it cannot be recorded
 */
export async function runAdminCommand(
  service: string,
  words: readonly string[],
  run: () => Promise<unknown>,
): Promise<void> {
  if (isForHelp(words)) {
    await run();
    return;
  }
  const config = readConfig(commandConfig);
  const trail = await openAuditTrail(service, config, createLog(service, 'silent'));
  const event: Omit<NewAuditEvent, 'outcome'> = {
    kind: 'operator.command',
    action: 'E',
    requestId: randomUUID(),
    agent: { service, operator: config.AUDIT_OPERATOR ?? `${userInfo().username}@${hostname()}` },
    entities: [{ query: shapeOf(words) }],
  };
  try {
    const eventOf = await trail.record({ ...event, outcome: 'begun' });
    let outcome: AuditEvent['outcome'] = 'failed';
    try {
      await run();
      outcome = process.exitCode ? 'failed' : 'success';
    } finally {
      await trail.record({ ...event, outcome, ...(eventOf === '' ? {} : { eventOf }) });
    }
  } finally {
    await trail.close();
  }
}

function isForHelp(words: readonly string[]): boolean {
  return words.length === 0 || words[0] === 'help' || words.some((word) => word === '--help' || word === '-h');
}

/** The noun and the verb, and the names of the options, without any argument. */
function shapeOf(words: readonly string[]): string {
  const end = words.findIndex((word) => !/^[a-z][a-z-]{0,30}$/.test(word));
  const command = words.slice(0, Math.min(end < 0 ? words.length : end, 2));
  const options = words.flatMap((word) => /^--?[a-z][a-z-]{0,30}(?==|$)/.exec(word) ?? []);
  return [...command, ...new Set(options)].join(' ');
}

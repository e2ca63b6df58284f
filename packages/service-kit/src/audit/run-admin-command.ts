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

/** Whom a command acts on: a user, a client application, or both. */
export interface CommandSubject {
  serviceUserId?: number | undefined;
  clientId?: string | undefined;
}

/**
 * Records on whom a command acts. To be called before it acts: each subject has an event of its own before and after.
 * @throws AuditUnavailable
 */
export type RecordSubjects = (subjects: readonly CommandSubject[]) => Promise<void>;

/** So many events of subjects are written at once. */
const subjectsAtOnce = 1000;

/**
 * Runs an operator's command of a service, with an audit event before it and one after it, and further ones for each
 * user and client that it acts on. A command that cannot be recorded is not run. A request for help is not recorded,
 * and needs no database.
 * @param words the command with its arguments
 * @param run sets `process.exitCode` or throws when the command fails; it receives what records on whom it acts
 * @throws what the command throws, and Error when it cannot be recorded
 */
export async function runAdminCommand(
  service: string,
  words: readonly string[],
  run: (recordSubjects: RecordSubjects) => Promise<unknown>,
): Promise<void> {
  if (isForHelp(words)) {
    await run(() => Promise.resolve());
    return;
  }
  const config = readConfig(commandConfig);
  const trail = await openAuditTrail(service, config, createLog(service, 'silent'));
  const requestId = randomUUID();
  const operator = config.AUDIT_OPERATOR ?? `${userInfo().username}@${hostname()}`;
  const eventOn = ({ serviceUserId, clientId }: CommandSubject): Omit<NewAuditEvent, 'outcome'> => ({
    kind: 'operator.command',
    action: 'E',
    requestId,
    agent: { service, operator, ...(clientId === undefined ? {} : { clientId }) },
    ...(serviceUserId === undefined ? {} : { subject: serviceUserId }),
    entities: [{ query: shapeOf(words) }],
  });
  const begun: NewAuditEvent[] = [];
  const begin: RecordSubjects = (subjects) =>
    forEachAtOnce(subjects, async (subject) => {
      const event = eventOn(subject);
      const eventOf = await trail.record({ ...event, outcome: 'begun' });
      begun.push({ ...event, outcome: 'begun', ...(eventOf === '' ? {} : { eventOf }) });
    });
  try {
    await begin([{}]);
    let outcome: AuditEvent['outcome'] = 'failed';
    try {
      await run(begin);
      outcome = process.exitCode ? 'failed' : 'success';
    } finally {
      await forEachAtOnce(begun, (event) => trail.record({ ...event, outcome }));
    }
  } finally {
    await trail.close();
  }
}

async function forEachAtOnce<T>(all: readonly T[], record: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += subjectsAtOnce)
    await Promise.all(all.slice(from, from + subjectsAtOnce).map(record));
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

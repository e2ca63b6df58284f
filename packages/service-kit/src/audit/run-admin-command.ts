import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { AuditEntity, AuditEvent, NewAuditEvent } from '@tributary/audit-log';
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { databaseConfig } from '../config/database-config';
import { flag, readConfig } from '../config/read-config';
import { createLog } from '../runtime/log';
import { messageInWords } from '../runtime/system-error';
import { checkRequiredOptions, configureCommandLine } from './command-line';
import { describeCommand } from './describe-command';
import { auditConfig, type ProcessAuditTrail, openAuditTrail } from './open-audit-trail';

/** The variables that every operator's command reads. */
const commandConfig = z.object({ ...databaseConfig.shape, ...auditConfig.shape });
const operatorConfig = z.object({
  SANDBOX_MODE: flag,
  AUDIT_OPERATOR: z
    .string()
    .max(100)
    .optional()
    .describe('who runs the command, for the audit log; by default, with SANDBOX_MODE=true only, user and host'),
});

/** Whom a command acts on: a user, a client application, or both; or something else that has an id. */
export interface CommandSubject {
  serviceUserId?: number | undefined;
  clientId?: string | undefined;
  entity?: AuditEntity | undefined;
}

/**
 * Records on whom a command acts. To be called before it acts: each subject has an event of its own before and after.
 * @throws AuditUnavailable
 */
export type RecordSubjects = (subjects: readonly CommandSubject[]) => Promise<void>;

/** The message to the process that has started this one, when there is more to do than to print help or an error. */
const commandBegins = 'begins';

/** So many events of subjects are written at once. */
const subjectsAtOnce = 1000;

/**
 * Runs the operator's command of this process, with an audit event before it and one after it, and further ones for
 * each user and client that it acts on. A command that cannot be recorded is not run. Help, and words that are no
 * command, run nothing, are not recorded, and need no database. Errors go to standard error and set
 * `process.exitCode`. ADMIN_PROGRAM is what an operator types before the command, for the help.
 * @param programOf makes the commands of the service; it receives what records on whom a command acts
 */
export async function runAdminCommand(
  service: string,
  programOf: (recordSubjects: RecordSubjects) => Command,
): Promise<void> {
  const events = new CommandEvents(service);
  const program = programOf((subjects) => events.begin(subjects)).hook('preAction', async (_program, command) => {
    checkRequiredOptions(command);
    process.send?.(commandBegins);
    await events.open(describeCommand(command));
  });
  configureCommandLine(program, process.env['ADMIN_PROGRAM'] ?? 'tributary');
  let hasFailed = true;
  try {
    await program.parseAsync(process.argv.slice(2), { from: 'user' });
    hasFailed = Boolean(process.exitCode);
  } catch (error) {
    report(error);
  }
  try {
    await events.end(hasFailed ? 'failed' : 'success');
  } catch (error) {
    report(error);
  }
}

/** The audit events of one command. */
class CommandEvents {
  #trail: ProcessAuditTrail | undefined;
  #event: Omit<NewAuditEvent, 'outcome'> | undefined;
  readonly #begun: NewAuditEvent[] = [];

  constructor(private readonly service: string) {}

  /** @throws Error when the command cannot be recorded */
  async open(command: string): Promise<void> {
    const { service } = this;
    const operator = operatorOf(readConfig(operatorConfig));
    this.#trail = await openAuditTrail(service, readConfig(commandConfig), createLog(service, 'silent'));
    this.#event = {
      kind: 'operator.command',
      action: 'E',
      requestId: randomUUID(),
      agent: { service, operator },
      entities: [{ query: command }],
    };
    await this.begin([{}]);
  }

  /** @throws AuditUnavailable */
  async begin(subjects: readonly CommandSubject[]): Promise<void> {
    await forEachAtOnce(subjects, async ({ serviceUserId, clientId, entity }) => {
      if (!this.#trail || !this.#event) throw new Error('the command has not begun');
      const event = {
        ...this.#event,
        agent: { ...this.#event.agent, ...(clientId === undefined ? {} : { clientId }) },
        ...(serviceUserId === undefined ? {} : { subject: serviceUserId }),
        ...(entity ? { entities: [...(this.#event.entities ?? []), entity] } : {}),
      };
      const eventOf = await this.#trail.record({ ...event, outcome: 'begun' });
      this.#begun.push({ ...event, outcome: 'begun', ...(eventOf === '' ? {} : { eventOf }) });
    });
  }

  /** @throws AuditUnavailable */
  async end(outcome: AuditEvent['outcome']): Promise<void> {
    const trail = this.#trail;
    if (!trail) return;
    try {
      await forEachAtOnce(this.#begun, (event) => trail.record({ ...event, outcome }));
    } finally {
      await trail.close();
    }
  }
}

/** @throws Error when a command in production has no operator */
function operatorOf({ AUDIT_OPERATOR: operator, SANDBOX_MODE: isSandbox }: z.output<typeof operatorConfig>): string {
  if (operator !== undefined) return operator;
  if (!isSandbox) throw new Error('AUDIT_OPERATOR must name you: the audit log records who runs a command');
  return `${userInfo().username}@${hostname()}`;
}

async function forEachAtOnce<T>(all: readonly T[], record: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += subjectsAtOnce)
    await Promise.all(all.slice(from, from + subjectsAtOnce).map(record));
}

/** Commander has printed its own errors, and help. */
function report(error: unknown): void {
  const isPrinted = error instanceof CommanderError && !(error instanceof InvalidArgumentError);
  if (!isPrinted) process.stderr.write(`error: ${messageInWords(error)}\n`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}

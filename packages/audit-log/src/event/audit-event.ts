import { z } from 'zod';
import { maxEntities } from '../block/block-limits';

/** What happened. Readers accept kinds that are not in this list, such as those of a later version. */
export const auditKinds = [
  'fhir.read',
  'fhir.vread',
  'fhir.search',
  'fhir.history',
  'fhir.operation',
  'fhir.create',
  'fhir.update',
  'fhir.patch',
  'fhir.delete',
  'fhir.bundle',
  'collection.batch',
  'collection.delete',
  'collection.read',
  'collection.resolve',
  'collection.reported',
  'record.destroyed',
  'export.requested',
  'export.planned',
  'export.read',
  'export.cancelled',
  'download',
  'webhook.sent',
  'webhook.read',
  'webhook.configured',
  'client.created',
  'client.changed',
  'client.deleted',
  'token.issued',
  'token.introspected',
  'token.refused',
  'token.revoked',
  'code.issued',
  'grant.token-used',
  'connect.link-created',
  'connect.begun',
  'connect.finished',
  'connection.read',
  'connection.refreshed',
  'connection.revoked',
  'consent.given',
  'consent.ended',
  'user.created',
  'user.read',
  'user.changed',
  'user.deleted',
  'console.signed-up',
  'console.email-verified',
  'console.signed-in',
  'console.sign-in-refused',
  'console.signed-out',
  'console.password-changed',
  'console.account-changed',
  'console.factors-changed',
  'console.organisation-changed',
  'console.members-changed',
  'service.started',
  'service.stopped',
  'operator.command',
  'operator.request',
  'secret.changed',
  'certificate.changed',
  'key.rotated',
  'limit.hit',
  'audit.read',
  'audit.verified',
] as const;
export type AuditKind = (typeof auditKinds)[number];

/** A name that this suite chooses, such as a kind or an error code. */
const name = z.string().regex(/^[a-z][a-z0-9_.-]*$/);
const count = z.int().min(0);

/** A resource, a query or a number of resources that an event is about. It has no values of a record. */
export const auditEntitySchema = z.strictObject({
  /** The FHIR release: `dstu2`, `stu3` or `r4`. */
  release: z.string().optional(),
  type: z.string().optional(),
  id: z.string().optional(),
  version: count.optional(),
  /** The names of the parameters of a search with their modifiers, without their values: `code:in&date`. */
  query: z.string().optional(),
  count: count.optional(),
  /** Numbers by what is counted, such as types of resources. */
  counts: z.record(z.string(), count).optional(),
  bytes: count.optional(),
});
export type AuditEntity = z.infer<typeof auditEntitySchema>;

/**
 * One event of the audit log: who did what to whose record, when, from where, and with which outcome. It contains no
 * values of a record, no tokens and no `app_user_id`.
 */
export const auditEventSchema = z.strictObject({
  kind: name,
  /** To create, read, update, delete, execute (https://hl7.org/fhir/R4/valueset-audit-event-action.html). */
  action: z.enum(['C', 'R', 'U', 'D', 'E']),
  /** `begun`: another event with `eventOf` tells how it ended. `aborted`: the client did not take all of it. */
  outcome: z.enum(['success', 'refused', 'failed', 'aborted', 'begun']),
  /** The HTTP status of the response. */
  status: z.int().optional(),
  /** A code of the error catalogue, or of OAuth. */
  errorCode: name.optional(),
  /** Epoch milliseconds, as a time of FHIR can be: until the year 9999. */
  at: z.int().min(0).max(253_402_300_799_999),
  requestId: z.string().optional(),
  agent: z.strictObject({
    clientId: z.string().optional(),
    serviceUserId: z.int().positive().optional(),
    /** Who acts for the client, in the console. */
    developer: z.string().optional(),
    /** Another service of the suite. */
    service: z.string().optional(),
    /** Who runs a command: user and host. In the console, the account of the operator. */
    operator: z.string().optional(),
  }),
  /** The IP address of the client. */
  address: z.string().optional(),
  /** The first product token of `User-Agent`. */
  userAgent: z.string().optional(),
  /** The service user id of the person whose data the event is about. */
  subject: z.int().positive().optional(),
  entities: z.array(auditEntitySchema).max(maxEntities).readonly().optional(),
  /** The id of the event with outcome `begun` that this one completes. */
  eventOf: z.string().optional(),
});
export type AuditEvent = z.infer<typeof auditEventSchema>;

/** An event to be recorded. Its time is that of the call unless it is given. */
export type NewAuditEvent = Omit<AuditEvent, 'kind' | 'at'> & { kind: AuditKind; at?: number };

/** Where an event is: its stream, the sequence number of its block, and its place in the block. */
export interface EventPosition {
  streamId: string;
  sequence: number;
  index: number;
}

/** The id of an event: `<stream>.<sequence in base 36>.<index in base 36>`. */
export function eventIdOf({ streamId, sequence, index }: EventPosition): string {
  return `${streamId}.${sequence.toString(36)}.${index.toString(36)}`;
}

const eventId = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-z]{1,10})\.([0-9a-z]{1,3})$/;

/** @returns undefined when the text is not the id of an event */
export function positionOfEvent(id: string): EventPosition | undefined {
  const [, streamId, sequence = '', index = ''] = eventId.exec(id) ?? [];
  if (streamId === undefined) return undefined;
  const position = { streamId, sequence: Number.parseInt(sequence, 36), index: Number.parseInt(index, 36) };
  return eventIdOf(position) === id ? position : undefined;
}

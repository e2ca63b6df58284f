import { InternalCallError } from '@tributary/contracts';

/**
 * SQLSTATEs of temporary failures (https://www.postgresql.org/docs/current/errcodes-appendix.html): 08 (connection
 * exceptions), 53 (insufficient resources: disk, memory, connections), 57P (shutdown, crash, starting up), 58030 (I/O
 * error), 57014 (a timeout cancelled the statement), 55P03 (a lock was not available in time), 25P03 and 25P04 (the
 * transaction was ended by a timeout), 25006 (the server is a standby), 28000 and 28P01 (the role or its password is
 * refused, as while it is replaced), 40001 and 40P01 (serialization failure, deadlock).
 */
const unavailableStates = /^(?:08\w{3}|28000|28P01|53\w{3}|57P\w{2}|58030|57014|55P03|25P0[34]|25006|40001|40P01)$/;

/** System errors of Node.js for a server that cannot be reached. */
const unreachable =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND)$/;

/** Messages of errors of pg and pg-pool, which have no code, when a connection is not established in time. */
const connectTimeouts =
  /^(?:Connection terminated due to connection timeout|timeout expired|timeout exceeded when trying to connect)/;

/** Messages of errors of pg, pg-pool and TypeORM that have no code. */
const poolMessages =
  /^(?:Connection terminated|Connection ended|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected|Connection is not established|DataSource is not set)/;

/**
 * Messages of errors of ioredis, also about a cluster or sentinels, and error replies of a Redis that is loading, a
 * replica, without a replica, or out of disk or memory, or that refuses the password.
 */
const redisMessages =
  /^(?:Command timed out|Connection is closed|Redis is not connected|Stream isn't writeable|Socket timeout|Socket closed unexpectedly|Reached the max retries per request limit|Command aborted due to connection close|Cluster isn't ready|Failed to refresh slots cache|Too many Cluster redirections|None of startup nodes is available|All sentinels are unreachable|LOADING|READONLY|NOREPLICAS|MISCONF|OOM|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|WRONGPASS|NOAUTH|EXECABORT)\b/;

/**
 * Whether PostgreSQL was temporarily unavailable: unreachable, starting, out of resources, over a time limit, or
 * refusing the password. The same work may succeed later. `isOutcomeUnknown` returns whether it may have been done.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return someCause(
    error,
    ({ code, message }) =>
      unavailableStates.test(code) ||
      unreachable.test(code) ||
      poolMessages.test(message) ||
      connectTimeouts.test(message),
  );
}

/** Whether a connection to PostgreSQL was not established in time. */
export function isConnectTimeout(error: unknown): boolean {
  return someCause(error, ({ message }) => connectTimeouts.test(message));
}

/**
 * Whether Redis was temporarily unavailable: unreachable, starting, hanging, out of resources, or refusing the
 * password.
 */
export function isRedisUnavailable(error: unknown): boolean {
  return someCause(error, ({ code, message }) => unreachable.test(code) || redisMessages.test(message));
}

/** The code of the error of a key service (packages/key-providers). */
const keyServiceUnavailable = 'KEY_SERVICE_UNAVAILABLE';

/** The code of the error of an object storage (packages/object-storage). */
const objectStorageUnavailable = 'OBJECT_STORAGE_UNAVAILABLE';

/** The code of the error of an event that could not be recorded (packages/audit-log). */
const auditUnavailable = 'AUDIT_UNAVAILABLE';

/** The code of the error of a committed write that cannot be acknowledged (packages/record-storage). */
const writeNotConfirmed = 'WRITE_NOT_CONFIRMED';

/** Whether PostgreSQL, Redis, the key service, the object storage or the audit log was temporarily unavailable. */
export function isDependencyUnavailable(error: unknown): boolean {
  return (
    isDatabaseUnavailable(error) ||
    isRedisUnavailable(error) ||
    someCause(error, ({ code }) => [keyServiceUnavailable, objectStorageUnavailable, auditUnavailable].includes(code))
  );
}

/** SQLSTATEs with which the server ends a connection, possibly after a COMMIT that it has not confirmed. */
const brokenStates = /^(?:08003|08006|08007|40003|57P0[12])$/;
/** A connection that was not established is not among them: ECONNREFUSED, or a time-out of the connection. */
const brokenConnection = /^(?:ECONNRESET|ECONNABORTED|EPIPE)$/;
const brokenMessages = /^(?:Connection terminated(?! due to connection timeout)|Connection ended|Query read timeout)/;

/** Work that failed after a part of it was done. */
export class PartialWorkError extends Error {
  constructor(cause: unknown) {
    super('the work failed after a part of it was done', { cause });
    this.name = 'PartialWorkError';
  }
}

/**
 * Whether work that failed may have been done: the connection to PostgreSQL broke, or a call to another service has no
 * definite response. A COMMIT whose confirmation was lost looks like this. An event of the audit log is recorded after
 * the work.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof PartialWorkError) return true;
  if (error instanceof InternalCallError) return error.isOutcomeUnknown;
  return someCause(
    error,
    ({ code, message }) =>
      brokenStates.test(code) ||
      brokenConnection.test(code) ||
      brokenMessages.test(message) ||
      code === auditUnavailable ||
      code === writeNotConfirmed,
  );
}

/** Also checks wrapped errors: `cause`, TypeORM's `driverError`, and the errors of an AggregateError. */
function someCause(error: unknown, matches: (error: { code: string; message: string }) => boolean, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false;
  const { code, driverError, errors } = error as { code?: unknown; driverError?: unknown; errors?: unknown };
  if (matches({ code: typeof code === 'string' ? code : '', message: error.message })) return true;
  const wrapped = [error.cause, driverError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return wrapped.some((one) => someCause(one, matches, depth + 1));
}

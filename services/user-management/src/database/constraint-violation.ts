import { QueryFailedError } from 'typeorm';

/** Whether PostgreSQL refused a statement because a unique index holds the value already. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, '23505');
}

/** Whether PostgreSQL refused a statement because the row that it refers to does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, '23503');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: unknown }).code === code;
}

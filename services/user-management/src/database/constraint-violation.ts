import { QueryFailedError } from 'typeorm';

/** Whether a unique index rejected a statement (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, '23505');
}

/** Whether a foreign key rejected a statement, as the row it refers to does not exist (SQLSTATE 23503). */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, '23503');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: unknown }).code === code;
}

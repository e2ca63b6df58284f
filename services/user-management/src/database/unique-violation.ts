import { QueryFailedError } from 'typeorm';

/** Whether PostgreSQL refused a statement because a unique index holds the value already. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: unknown }).code === '23505';
}

import { QueryFailedError } from 'typeorm';

/** The SQLSTATE of each constraint: a unique index, or a foreign key without the row that it refers to. */
const sqlStates = { unique: '23505', foreignKey: '23503' };

/** Whether a constraint rejected a statement. */
export function isViolation(error: unknown, constraint: keyof typeof sqlStates): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: unknown }).code === sqlStates[constraint];
}

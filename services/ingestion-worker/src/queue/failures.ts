import { isPassing } from '../own-services/patiently';

/** Connection trouble of Node, and of PostgreSQL: class 08, 57P0x (shut down, starting up), 53300 (too many connections). */
const connectionTrouble = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND|08\d{3}|57P0\d|53300)$/;

/** Whether it is our own suite that keeps a collection from going on: that says nothing of the health system, and is no attempt of it. */
export function isOurOwn(error: unknown): boolean {
  return isPassing(error) || hasConnectionTrouble(error);
}

function hasConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && connectionTrouble.test(error.code)) return true;
  if (/^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)) return true;
  if (error instanceof AggregateError) return error.errors.some(hasConnectionTrouble);
  return 'driverError' in error && hasConnectionTrouble(error.driverError);
}

import type { Answer } from '../../http/answer';
import type { Call } from '../../http/call';
import { matchesOf } from './matches';

/** `DELETE /{release}/{Type}?criteria`: everything that matches, all or nothing. */
export async function conditionalDelete(call: Call, type: string): Promise<Answer> {
  const matches = await matchesOf(call, type, call.query);
  if (matches.length > 0) await call.record.write(matches.map(({ kind, id }) => ({ kind, id, delete: true as const })));
  return { status: 204 };
}

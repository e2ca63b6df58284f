import type { ConnectionEntry } from '@tributary/contracts';
import type { RecordApi } from './record-api';

const maxWarnings = 3;

/**
 * What a reader has to know about the completeness of the record: an entry that is missing can also be an entry that
 * was not collected.
 * @param types the resource types that the answer is about
 */
export async function readRecordState(api: RecordApi, types: ReadonlySet<string>): Promise<string[]> {
  let connections: ConnectionEntry[];
  try {
    connections = await api.connections();
  } catch {
    api.signal.throwIfAborted();
    return ['The state of the connections could not be read: entries may be missing.'];
  }
  if (connections.length === 0)
    return [
      'No health system is connected. The record has only what the application added: a missing entry does not mean that there is none.',
    ];
  return connections.flatMap((connection) => stateOf(connection, types));
}

function stateOf(connection: ConnectionEntry, types: ReadonlySet<string>): string[] {
  const { health_system, fhirVersion, status, complete, last_collected_at: collected, warnings, error } = connection;
  const where = `${health_system.name} (${fhirVersion})`;
  const last = collected === null ? 'Nothing has been collected yet' : `The last collection was at ${collected}`;
  const notes: string[] = [];
  if (status === 'collecting') notes.push(`${where} is being collected: entries may be missing. ${last}.`);
  if (status === 'failed') notes.push(`${where} could not be collected${error ? `: ${error.message}` : '.'} ${last}.`);
  if (status === 'needs_reauthorization')
    notes.push(`${where} needs a new sign-in of the user, and is not updated until then. ${last}.`);
  if (status === 'revoked') notes.push(`${where} was disconnected, and is not updated any more. ${last}.`);
  const relevant = complete ? [] : warnings.filter(({ type }) => type === undefined || types.has(type));
  for (const { type, message } of relevant.slice(0, maxWarnings))
    notes.push(`${where} is incomplete${type ? ` for ${type}` : ''}: ${message}`);
  return notes;
}

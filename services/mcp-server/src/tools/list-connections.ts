import { type ConnectionEntry, fhirVersion } from '@tributary/contracts';
import { z } from 'zod';
import { defineTool } from './tool';

const connection = z.object({
  health_system: z.string(),
  patient: z.string().optional().describe('Whose record it is.'),
  release: fhirVersion,
  status: z.string(),
  complete: z.boolean().describe('Whether the last collection read everything that the health system offers.'),
  last_collected_at: z.string().optional(),
  resources: z.int().describe('How many resources of the record come from this connection.'),
  problems: z.array(z.string()),
});

const maxProblems = 5;

export const listConnections = defineTool({
  name: 'list_connections',
  title: 'Connections and freshness',
  description:
    'Lists the health systems from which the record was collected, with the FHIR release, the time of the last collection, and what is missing. Call it before you conclude that something is not in the record.',
  input: z.strictObject({}),
  output: z.object({ connections: z.array(connection) }),
  async run(_input, api) {
    const connections = (await api.connections()).map(summaryOf);
    const lines = connections.map(
      ({ health_system, patient, release, status, complete, last_collected_at, resources, problems }) =>
        `- ${health_system} (${release})${patient === undefined ? '' : `, of ${patient}`}: ${status}${complete ? ', complete' : ', not complete'}; last collected ${last_collected_at ?? 'never'}; ${resources} resources${problems.map((problem) => `; ${problem}`).join('')}`,
    );
    const text =
      connections.length === 0
        ? 'No health system is connected: the record has only what the application added. The user connects health systems in the application.'
        : [`${connections.length} connections:`, ...lines].join('\n');
    return { text, data: { connections } };
  },
});

function summaryOf({
  health_system,
  patient: { name, birth_date: birthDate },
  fhirVersion: release,
  status,
  complete,
  last_collected_at,
  progress,
  warnings,
  error,
  retry_at,
}: ConnectionEntry): z.output<typeof connection> {
  const missing = warnings.map(({ type, message }) => (type ? `${type}: ${message}` : message));
  return {
    health_system: health_system.name,
    patient: name === undefined || birthDate === undefined ? name : `${name}, born ${birthDate}`,
    release,
    status,
    complete,
    last_collected_at: last_collected_at ?? undefined,
    resources: progress.collected,
    problems: [
      ...(error ? [error.message] : []),
      ...(retry_at === undefined ? [] : [`the health system is not available; next attempt at ${retry_at}`]),
      ...missing.slice(0, maxProblems),
      ...(missing.length > maxProblems ? [`${missing.length - maxProblems} more warnings`] : []),
    ],
  };
}

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { User } from './users';
import { Json, bearer } from './http';
import { readySuite } from './ready';

export const mcpEndpoint = `${readySuite().base_url}/mcp`;
const open: Client[] = [];

interface Answer {
  text: string;
  data: Json;
  isError: boolean;
}

/** A client of the SDK, as an application uses it. It validates each answer by the schema of the tool. */
export async function clientOf(user: User): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  open.push(client);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(mcpEndpoint), { requestInit: { headers: bearer(user.access_token) } }),
  );
  await client.listTools();
  return client;
}

export async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: input });
  const [content] = result.content as { text: string }[];
  return { text: content?.text ?? '', data: new Json(result.structuredContent), isError: result.isError === true };
}

/** The tools that list resources, and the member of their answers that has the list. */
export const lists = [
  ['list_problems', 'entries'],
  ['list_medications', 'entries'],
  ['list_allergies', 'entries'],
  ['list_immunizations', 'entries'],
  ['list_procedures', 'entries'],
  ['list_encounters', 'entries'],
  ['list_documents', 'entries'],
  ['list_lab_results', 'tests'],
  ['list_vital_signs', 'tests'],
] as const;

/** Closes the clients of the test file. */
export async function closeClients(): Promise<void> {
  await Promise.all(open.map((client) => client.close()));
}

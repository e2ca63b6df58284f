import { waitUntil } from '@tributary/test-environment';
import { McpUnderTest } from '../test/mcp-under-test';

let mcp: McpUnderTest;
beforeAll(async () => {
  mcp = await McpUnderTest.start();
});
afterEach(() => mcp.record.clear());
afterAll(() => mcp.stop());

const call = (name: string, args: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const textOf = (result: { content: unknown }): string => (result.content as { text: string }[])[0]?.text ?? '';

describe.each(['legacy', 'auto'] as const)('a client of the SDK (%s)', (mode) => {
  it('finds read-only tools with schemas of their answers', async () => {
    const client = await mcp.connect(mcp.newToken(), mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'get_patient_summary',
      'list_problems',
      'list_medications',
      'list_allergies',
      'list_lab_results',
      'list_vital_signs',
      'list_immunizations',
      'list_procedures',
      'list_encounters',
      'list_documents',
      'read_document',
      'search_fhir',
      'read_fhir_resource',
      'list_connections',
    ]);
    for (const tool of tools)
      expect(tool).toMatchObject({
        annotations: { readOnlyHint: true, destructiveHint: false },
        inputSchema: { additionalProperties: false },
        outputSchema: { type: 'object' },
      });
    expect(client.getInstructions()).toContain('Begin with get_patient_summary');
  });

  it('calls a tool, and gets text and data', async () => {
    mcp.record.add('r4', { resourceType: 'Condition', id: 'c', code: { text: 'Asthma' } });
    const client = await mcp.connect(mcp.newToken(), mode);
    const result = await client.callTool({ name: 'list_problems', arguments: {} });
    expect(textOf(result)).toContain('- Asthma [r4/Condition/c]');
    expect(result.structuredContent).toMatchObject({
      total: 1,
      entries: [{ reference: 'r4/Condition/c', name: 'Asthma' }],
    });
  });

  it('gets an error of the tool for wrong arguments, which names them', async () => {
    const client = await mcp.connect(mcp.newToken(), mode);
    const result = await client.callTool({ name: 'list_problems', arguments: { curent: true, since: 'yesterday' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/since: must be a date.*curent/s);
  });

  it('gets an error of the protocol for an unknown tool', async () => {
    const client = await mcp.connect(mcp.newToken(), mode);
    await expect(client.callTool({ name: 'delete_record', arguments: {} })).rejects.toThrow(
      'Tool delete_record not found',
    );
  });
});

describe('authentication', () => {
  it.each([
    ['no token', undefined, 'missing_token'],
    ['an unknown token', 'x'.repeat(43), 'invalid_token'],
  ])('answers %s with a challenge that names the metadata', async (_what, token, error) => {
    const response = await mcp.post(token, call('list_problems'));
    expect([response.status, await response.json()]).toEqual([401, expect.objectContaining({ error })]);
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${mcp.url}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  it('serves the metadata of the protected resource', async () => {
    const response = await fetch(`${mcp.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await response.json()).toMatchObject({
      resource: `${mcp.url}/mcp`,
      authorization_servers: ['https://auth.example.org'],
      bearer_methods_supported: ['header'],
    });
  });

  it('calls the services with the token of the caller', async () => {
    const token = mcp.newToken();
    await mcp.post(token, call('list_problems'));
    expect(new Set(mcp.record.seen.map((each) => each.token))).toEqual(new Set([`Bearer ${token}`]));
  });

  it('tells the model when the token expires during a call', async () => {
    mcp.record.respond = (response) => response.writeHead(401).end('{}');
    const client = await mcp.connect(mcp.newToken());
    const result = await client.callTool({ name: 'search_fhir', arguments: { type: 'Condition' } });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('has to refresh it')]);
  });

  it('refuses a client whose token is not active any more', async () => {
    const token = mcp.newToken();
    mcp.revoke(token);
    await expect(mcp.connect(token)).rejects.toThrow();
  });
});

describe('the origin of a page', () => {
  it.each([
    ['https://app.example.org', 200],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:8080', 200],
    ['http://[::1]', 200],
    ['http://rebound.example.org', 403],
    ['http://localhost.example.org', 403],
    ['null', 403],
    ['file://', 403],
    ['not an origin', 403],
  ])('%s gets %d', async (origin, status) => {
    const response = await mcp.post(mcp.newToken(), call('list_connections'), { Origin: origin });
    expect(response.status).toBe(status);
  });

  it('is one of the configured ones, where there are any', async () => {
    const strict = await McpUnderTest.start({ allowedOrigins: ['https://app.example.org'] });
    try {
      const statuses = await Promise.all(
        ['https://app.example.org', 'https://other.example.org', 'http://localhost'].map(
          async (origin) => (await strict.post(strict.newToken(), call('list_connections'), { Origin: origin })).status,
        ),
      );
      expect(statuses).toEqual([200, 403, 403]);
    } finally {
      await strict.stop();
    }
  });
});

describe('what is not a request of the protocol', () => {
  it.each([
    ['broken JSON', '{"jsonrpc":', {}, 400],
    ['another JSON value', '7', {}, 400],
    ['no version', '{"id":1,"method":"tools/list"}', {}, 400],
    ['an empty body', '', {}, 400],
    ['another media type', call('list_problems'), { 'Content-Type': 'text/plain' }, 415],
    ['no stream accepted', call('list_problems'), { Accept: 'text/html' }, 406],
    ['an unknown revision', call('list_problems'), { 'MCP-Protocol-Version': '1999-01-01' }, 400],
    [
      'a large body',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { x: 'y'.repeat(200_000) } }),
      {},
      413,
    ],
  ])('%s is answered with an error of JSON-RPC', async (_what, body, headers, status) => {
    const response = await mcp.post(mcp.newToken(), body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
  });

  it.each(['GET', 'DELETE', 'PUT'])('%s is not allowed: there are no sessions', async (method) => {
    const response = await fetch(`${mcp.url}/mcp`, { method, headers: { Authorization: `Bearer ${mcp.newToken()}` } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('an unknown method is an error of the protocol', async () => {
    const response = await mcp.post(mcp.newToken(), '{"jsonrpc":"2.0","id":1,"method":"records/delete"}');
    expect(await response.text()).toContain('-32601');
  });
});

describe('limits', () => {
  it('end a call that takes too long, and say so', async () => {
    const slow = await McpUnderTest.start({ limits: { callTimeoutMs: 300 } });
    try {
      slow.record.respond = () => undefined;
      const client = await slow.connect(slow.newToken());
      const result = await client.callTool({ name: 'search_fhir', arguments: { type: 'Condition' } });
      expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('took longer than 0.3 seconds')]);
    } finally {
      await slow.stop();
    }
  });

  it('end a call that is in progress when the service stops, and say so', async () => {
    const stopping = await McpUnderTest.start();
    try {
      stopping.record.respond = () => stopping.endpoint.endCalls(0);
      const client = await stopping.connect(stopping.newToken());
      const result = await client.callTool({ name: 'search_fhir', arguments: { type: 'Condition' } });
      expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('The service restarts')]);
    } finally {
      await stopping.stop();
    }
  });

  it('end the work of a client that disconnects', async () => {
    const closed = new Promise<void>((resolve) => {
      mcp.record.respond = (response) => {
        response.once('close', resolve);
        ending.abort();
      };
    });
    const ending = new AbortController();
    const sent = fetch(`${mcp.url}/mcp`, {
      method: 'POST',
      signal: ending.signal,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${mcp.newToken()}`,
      },
      body: call('search_fhir', { type: 'Condition' }),
    });
    await expect(sent).rejects.toThrow();
    await closed;
    await waitUntil(() => mcp.logged.includes('"tool":"search_fhir","outcome":"aborted"'));
  });
});

it('logs calls without arguments, answers and tokens', async () => {
  mcp.record.add('r4', { resourceType: 'Condition', id: 'secret-id', code: { text: 'secret-disease' } });
  const token = mcp.newToken();
  await (await mcp.post(token, call('list_problems', { text: 'secret-dis' }))).text();
  await (await mcp.post(token, call('search_fhir', { type: 'Condition', query: 'unknown=secret-query' }))).text();
  await (await mcp.post(token, '{"secret-json')).text();
  expect(mcp.logged).toContain('"tool":"list_problems","outcome":"answered"');
  expect(mcp.logged).not.toContain('secret');
  expect(mcp.logged).not.toContain(token);
});

import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectedPage } from './connected-page';
import { sendFailure, sendNotFound } from './responses';

async function responseOf(
  send: (response: ServerResponse) => void,
  headers: Record<string, string> = {},
): Promise<Response> {
  const server: Server = createServer((_request, response) => send(response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    headers: { connection: 'close', ...headers },
  });
  server.close();
  return answer;
}

describe('responses of the gateway itself', () => {
  it.each([
    ['not found', sendNotFound],
    ['a page', (response: ServerResponse): void => connectedPage(response, new URLSearchParams('success=true'))],
  ] as const)('have a request id and security headers: %s', async (_what, send) => {
    const { headers } = await responseOf(send, { 'X-Request-Id': 'abc-1' });
    expect(headers.get('x-request-id')).toBe('abc-1');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(headers.has('strict-transport-security')).toBe(false);
  });

  it('tell the user of the demo why connecting failed, without a text of the URL', async () => {
    const textOf = async (query: string): Promise<string> =>
      (await responseOf((response) => connectedPage(response, new URLSearchParams(query)))).text();
    expect(await textOf('success=false&error=expired')).toContain('The sign-in took too long.');
    expect(await textOf('success=false&error=%3Cscript%3E')).toMatch(/did not grant access(?!.*<script>)/s);
  });

  it('reports a failure as FHIR or as JSON', async () => {
    const record = await responseOf((response) => sendFailure(response, 503, 'fhir'));
    expect([record.status, record.headers.get('content-type'), record.headers.get('retry-after')]).toEqual([
      503,
      'application/fhir+json; charset=utf-8',
      '2',
    ]);
    expect(await record.json()).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'transient' }] });
    const users = await responseOf((response) => sendFailure(response, 503, 'json'));
    expect(await users.json()).toMatchObject({ success: false, error_code: 'temporarily_unavailable' });
  });
});

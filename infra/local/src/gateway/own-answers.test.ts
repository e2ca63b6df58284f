import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectedPage } from './connected-page';
import { sendNotFound, sendUnavailable } from './own-answers';

async function answerOf(
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

describe('answers of the gateway itself', () => {
  it.each([
    ['nothing there', sendNotFound],
    ['a page', (response: ServerResponse): void => connectedPage(response, new URLSearchParams('success=true'))],
  ] as const)('carry a request id and security headers: %s', async (_what, send) => {
    const { headers } = await answerOf(send, { 'X-Request-Id': 'abc-1' });
    expect(headers.get('x-request-id')).toBe('abc-1');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'strict-transport-security': expect.stringContaining('max-age'),
    });
  });

  it('say as FHIR that the record is away, and as JSON that the users are', async () => {
    const record = await answerOf((response) => sendUnavailable(response, true));
    expect([record.status, record.headers.get('content-type'), record.headers.get('retry-after')]).toEqual([
      503,
      'application/fhir+json; charset=utf-8',
      '2',
    ]);
    expect(await record.json()).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'transient' }] });
    const users = await answerOf((response) => sendUnavailable(response, false));
    expect(await users.json()).toMatchObject({ success: false, error_code: 'temporarily_unavailable' });
  });
});

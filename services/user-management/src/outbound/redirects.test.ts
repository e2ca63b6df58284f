import express from 'express';
import { type TestServer, listen } from '../../test/http-server';
import { OutboundHttp } from './outbound-http';

// No test can reach a public address: the path "/inner" replaces a private address.
jest.mock('@tributary/public-addresses', () => {
  const actual = jest.requireActual<typeof import('@tributary/public-addresses')>('@tributary/public-addresses');
  return {
    ...actual,
    assertPublicUrl: (url: URL) => {
      if (url.pathname.startsWith('/inner')) throw new actual.AddressNotAllowed('inner');
    },
    outboundAgents: () => actual.outboundAgents({ allowPrivateAddresses: true }),
  };
});

describe('outside the sandbox mode', () => {
  let server: TestServer;
  const reached: string[] = [];
  beforeAll(async () => {
    const app = express();
    app.get('/allowed', (_request, response) => response.redirect('/inner/metadata'));
    app.get('/inner/metadata', (request, response) => {
      reached.push(request.path);
      response.send('secret');
    });
    server = await listen(app);
  });
  afterAll(() => server.close());

  it('checks the address of a redirect', async () => {
    await expect(
      new OutboundHttp({ allowPrivateAddresses: false }).get(`${server.url}/allowed`, '*/*'),
    ).rejects.toThrow('refused: inner');
    expect(reached).toEqual([]);
  });
});

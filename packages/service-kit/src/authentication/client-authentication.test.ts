import { AuthClient, InternalHttp } from '@tributary/contracts';
import type { Request } from 'express';
import type { CredentialGuard } from '../rate-limit/credential-guard';
import { clientCredentialsAuthentication } from './client-authentication';

describe('clientCredentialsAuthentication', () => {
  const unreachable = new InternalHttp({ service: 'auth', baseUrl: 'http://127.0.0.1:1', caller: 'test', key: 'k' });
  const { authenticate } = clientCredentialsAuthentication({
    auth: new AuthClient(unreachable),
    guard: { attempt: () => Promise.reject(new Error('nothing is to be verified')) } as unknown as CredentialGuard,
  });

  it.each([{}, { client_id: 'a' }, { client_secret: 's' }, { authorization: 'Basic YTpi' }])(
    'asks for the headers when they are missing (%j)',
    async (headers) => {
      await expect(authenticate({ headers } as unknown as Request, 'id')).rejects.toMatchObject({
        status: 401,
        errorCode: 'invalid_client',
        message: 'send the headers client_id and client_secret',
      });
    },
  );
});

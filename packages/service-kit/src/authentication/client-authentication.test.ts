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

  it('refuses a disabled client without counting a failure', async () => {
    const outcomes: unknown[] = [];
    const guard = {
      attempt: (_request: unknown, _clientId: string, verify: () => Promise<unknown>) =>
        verify().then(
          () => outcomes.push('verified'),
          (error: unknown) => {
            outcomes.push('not verified');
            throw error;
          },
        ),
    } as unknown as CredentialGuard;
    const auth = { authenticateClient: () => Promise.resolve('disabled') } as unknown as AuthClient;
    const request = { headers: { client_id: 'a', client_secret: 's' } } as unknown as Request;
    await expect(clientCredentialsAuthentication({ auth, guard }).authenticate(request, 'id')).rejects.toMatchObject({
      status: 401,
      errorCode: 'invalid_client',
      message: 'client_id or client_secret is wrong',
    });
    expect(outcomes).toEqual(['not verified']);
  });
});

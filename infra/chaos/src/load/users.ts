import { type ReadyEvent, runAdmin } from '@tributary/local';
import { z } from 'zod';
import { type ChaosSuite, repository } from '../suite/chaos-suite';
import type { Http } from './http';

export interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

export interface User {
  app_user_id: string;
  accessToken: string;
  refreshToken: string;
}

const createdClient = z.object({ client_id: z.string(), client_secret: z.string() });
const authorizationCode = z.object({ code: z.string() });
export const tokens = z.object({ access_token: z.string(), refresh_token: z.string() });

/** Creates a client application by the operator's command. */
export async function createClient({ running }: ChaosSuite): Promise<ClientCredentials> {
  const words = ['client', 'create', '--name', 'Chaos', '--redirect-uri', running.ready.client.redirect_uri, '--json'];
  return createdClient.parse(JSON.parse(await runAdmin(repository, 'auth', words, running.environments['auth'] ?? {})));
}

/**
 * Creates a user with tokens. When the user exists because the response of an earlier attempt was lost, it requests a
 * new code.
 * @throws Error when the signal is aborted first, or the suite refuses
 */
export async function createUser(
  { ready, client: { client_id, client_secret }, http }: { ready: ReadyEvent; client: ClientCredentials; http: Http },
  app_user_id: string,
  signal: AbortSignal,
): Promise<User> {
  for (;;) {
    const request = {
      operation: 'create user',
      method: 'POST',
      headers: { client_id, client_secret },
      form: { app_user_id },
    };
    const created = await http.persist({ ...request, url: `${ready.base_url}/user-management/v1/user` }, signal);
    const answer =
      created?.status === 409
        ? await http.persist({ ...request, url: `${ready.base_url}/user-management/v1/user/auth-code` }, signal)
        : created;
    if (answer?.status !== 200)
      throw new Error(
        answer
          ? `a user could not be created: ${answer.status} ${answer.text.slice(0, 200)}`
          : 'a user could not be created in time',
      );
    const { code } = authorizationCode.parse(answer.json());
    // A code can be exchanged once: after a lost response a new code is needed.
    const exchanged = await http.once({
      operation: 'exchange code',
      method: 'POST',
      url: `${ready.auth_url}/oauth2/token`,
      form: { client_id, client_secret, code, grant_type: 'authorization_code' },
    });
    if (exchanged?.status !== 200) continue;
    const { access_token, refresh_token } = tokens.parse(exchanged.json());
    return { app_user_id, accessToken: access_token, refreshToken: refresh_token };
  }
}

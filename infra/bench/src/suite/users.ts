import { runAdmin } from '@tributary/local';
import { z } from 'zod';
import { type BenchSuite, repository } from './bench-suite';
import { callJson, inParallel } from './http';

/** The client application of the bench. Its exports contain only resources that the bench stored. */
export interface BenchClient {
  client_id: string;
  client_secret: string;
}

export interface BenchUser {
  userId: number;
  token: string;
}

const createdClient = z.object({ client_id: z.string(), client_secret: z.string() });
const createdUser = z.object({ code: z.string(), service_user_id: z.int() });
const issuedTokens = z.object({ access_token: z.string() });

export async function createClient({ running }: BenchSuite): Promise<BenchClient> {
  const words = ['client', 'create', '--name', 'Bench', '--redirect-uri', running.ready.client.redirect_uri, '--json'];
  return createdClient.parse(JSON.parse(await runAdmin(repository, 'auth', words, running.environments['auth'] ?? {})));
}

/** Creates users of the client, each with an access token. */
export async function createUsers(
  { running: { ready } }: BenchSuite,
  client: BenchClient,
  count: number,
): Promise<BenchUser[]> {
  const users: BenchUser[] = [];
  const run = Date.now();
  await inParallel(Array.from({ length: count }), 8, async (_, index) => {
    const { client_id, client_secret } = client;
    const created = await callJson(createdUser, `${ready.base_url}/user-management/v1/user`, {
      method: 'POST',
      headers: { client_id, client_secret },
      form: { app_user_id: `bench-${run}-${index}-${Math.random().toString(36).slice(2)}` },
    });
    const tokens = await callJson(issuedTokens, `${ready.auth_url}/oauth2/token`, {
      method: 'POST',
      form: { client_id, client_secret, code: created.code, grant_type: 'authorization_code' },
    });
    users.push({ userId: created.service_user_id, token: tokens.access_token });
  });
  return users;
}

/** Deletes users and their records. */
export async function deleteUsers(
  { running: { ready } }: BenchSuite,
  { client_id, client_secret }: BenchClient,
  users: readonly BenchUser[],
): Promise<void> {
  await inParallel(users, 4, async ({ userId }) => {
    await callJson(z.unknown(), `${ready.base_url}/user-management/v1/user`, {
      method: 'DELETE',
      headers: { client_id, client_secret },
      form: { service_user_id: String(userId) },
    });
  });
}

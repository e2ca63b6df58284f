import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { withDatabase } from '../suite/database';
import { bearer, http } from '../suite/http';
import type { Ready } from '../suite/ready';
import { type ClientKey, clientKey, registerKeys, systemToken } from '../suite/system-tokens';
import { type ClientCredentials, type User, admin, newClient, newUser } from '../suite/users';

/** How a caller authenticates: a security scheme of the OpenAPI documents, or a variant without a name there. */
export type Scheme =
  | 'user_token'
  | 'system_token'
  | 'client_id'
  | 'client_id_in_query'
  | 'client_basic'
  | 'client_in_form'
  | 'connect_link'
  /** No credentials: what the request names is itself secret. */
  | 'open';

/** What a caller authenticates with. */
export interface Credentials {
  client: ClientCredentials;
  userToken: string;
  systemToken: string;
}

/** A user of a client, and what the two authenticate with. */
export interface Party extends Credentials {
  user: User;
}

/** Credentials that no route accepts, with the situation that they are in. */
export type RefusedCredentials = readonly [situation: string, credentials: Partial<Credentials>];

/** The owner of everything that requests name, other callers, and the owner's credentials that are of no use. */
export interface World {
  /** In every resource and name of the owner, and in no request of another caller. */
  mark: string;
  owner: Party;
  /** Another user of the same client. */
  otherUser: Party;
  /** A user of another client. */
  otherClient: Party;
  refused: readonly RefusedCredentials[];
}

export async function newWorld(ready: Ready, name: string): Promise<World> {
  await withDatabase(ready, skipSmallUserIds);
  const keys = { owner: clientKey('ES384'), other: clientKey('ES384') };
  const [client, other, disabled] = await Promise.all([
    newClient(ready, `owner in ${name}`),
    newClient(ready, `other client in ${name}`),
    newClient(ready, `disabled client in ${name}`),
  ]);
  const mark = `mark-${randomUUID()}`;
  const [owner, otherClient] = await Promise.all([
    newParty(ready, client, keys.owner, `${mark}@example.org`),
    newParty(ready, other, keys.other),
  ]);
  const otherUser = { ...owner, ...(await userOf(ready, client)) };
  return { mark, owner, otherUser, otherClient, refused: await refusedCredentials(ready, owner, other, disabled) };
}

/** A world without other callers, for requests of the owner. */
export async function worldOfOwner(ready: Ready, name: string): Promise<World> {
  const mark = `mark-${randomUUID()}`;
  const client = await newClient(ready, `owner in ${name}`);
  const owner = await newParty(ready, client, clientKey('ES384'), `${mark}@example.org`);
  return { mark, owner, otherUser: owner, otherClient: owner, refused: [] };
}

/** Small numbers occur in responses for other reasons, such as the size of a page. */
const firstUserId = 100_000;

/** Gives the users of the comparison ids that occur in no response by chance. */
async function skipSmallUserIds(database: Client): Promise<void> {
  const sequence = `pg_get_serial_sequence('user_management.service_user', 'service_user_id')`;
  await database.query('BEGIN');
  // Another file of tests that has just done the same must not be set back.
  await database.query(`SELECT pg_advisory_xact_lock(hashtext('skip small user ids'))`);
  await database.query(
    `SELECT setval(${sequence}, ${firstUserId}) WHERE coalesce(pg_sequence_last_value(${sequence}::regclass), 0) < ${firstUserId}`,
  );
  await database.query('COMMIT');
}

async function newParty(ready: Ready, client: ClientCredentials, key: ClientKey, appUserId?: string): Promise<Party> {
  await registerKeys(client.client_id, key);
  return {
    client: { client_id: client.client_id, client_secret: client.client_secret },
    systemToken: await systemToken(ready, client.client_id, key),
    ...(await userOf(ready, client, appUserId)),
  };
}

async function userOf(
  ready: Ready,
  client: ClientCredentials,
  appUserId?: string,
): Promise<Pick<Party, 'user' | 'userToken'>> {
  const user = await newUser(ready, client, appUserId);
  return { user, userToken: user.access_token };
}

async function refusedCredentials(
  ready: Ready,
  owner: Party,
  other: ClientCredentials,
  disabled: ClientCredentials,
): Promise<RefusedCredentials[]> {
  const { client, user } = owner;
  const change = (method: string, serviceUserId: number, form: Record<string, string> = {}): Promise<unknown> =>
    http(method, `${ready.base_url}/user-management/v1/user`, {
      headers: { ...client },
      form: { service_user_id: String(serviceUserId), ...form },
    });
  const revoked = await anotherToken(ready, user);
  await http('POST', `${ready.auth_url}/oauth2/revoke`, { form: { ...client, token: revoked } });
  const deactivated = await newUser(ready, client);
  await change('PUT', deactivated.service_user_id, { active: 'false' });
  const deleted = await newUser(ready, client);
  await change('DELETE', deleted.service_user_id);
  const ofDisabled = await newUser(ready, disabled);
  await admin('client', 'disable', disabled.client_id);
  return [
    ['none', {}],
    [
      'forged',
      {
        client: { ...client, client_secret: randomBytes(32).toString('base64url') },
        userToken: randomToken(user.access_token),
        systemToken: randomToken(owner.systemToken),
      },
    ],
    ['expired', { userToken: await expiredToken(ready, user) }],
    ['revoked', { userToken: revoked }],
    ['of a deactivated user', { userToken: deactivated.access_token }],
    ['of a deleted user', { userToken: deleted.access_token }],
    [
      'of a disabled client',
      {
        client: { client_id: disabled.client_id, client_secret: disabled.client_secret },
        userToken: ofDisabled.access_token,
      },
    ],
    ['with the secret of another client', { client: { ...client, client_secret: other.client_secret } }],
    ['of another kind', { userToken: user.refresh_token, systemToken: user.refresh_token }],
  ];
}

/** A random text of the same length and alphabet. */
function randomToken(like: string): string {
  return randomBytes(like.length).toString('base64url').slice(0, like.length);
}

/** Another access token of the user. */
async function anotherToken(ready: Ready, user: User): Promise<string> {
  const headers = { client_id: user.client_id, client_secret: user.client_secret };
  const code = await http('POST', `${ready.base_url}/user-management/v1/user/auth-code`, {
    headers,
    form: { service_user_id: String(user.service_user_id) },
  });
  const form = { ...headers, grant_type: 'authorization_code', code: code.json.text('code') };
  return (await http('POST', `${ready.auth_url}/oauth2/token`, { form })).json.text('access_token');
}

/** An access token of the user whose time is over. */
async function expiredToken(ready: Ready, user: User): Promise<string> {
  const token = await anotherToken(ready, user);
  await withDatabase(ready, async (database) => {
    const { rowCount } = await database.query(
      `UPDATE auth.access_token SET expires_at = now() - interval '1 minute' WHERE token_sha256 = sha256($1)`,
      [Buffer.from(token)],
    );
    if (rowCount !== 1) throw new Error('the token to expire is not stored');
  });
  return token;
}

/** The headers, query and form by which these credentials are sent; undefined when they have none of the scheme. */
export function sentBy(
  scheme: Scheme,
  { client, userToken, systemToken }: Partial<Credentials>,
  owner: Credentials,
): { headers?: Record<string, string>; query?: Record<string, string>; form?: Record<string, string> } | undefined {
  switch (scheme) {
    case 'user_token':
      return userToken === undefined ? undefined : { headers: bearer(userToken) };
    case 'system_token':
      return systemToken === undefined ? undefined : { headers: bearer(systemToken) };
    case 'client_id':
      return client && { headers: { ...client } };
    case 'client_id_in_query':
      return client && { query: { ...client } };
    case 'client_basic':
      return (
        client && {
          headers: {
            Authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
          },
        }
      );
    case 'client_in_form':
      return client && { form: { ...client } };
    case 'connect_link':
      return userToken === undefined
        ? undefined
        : { query: { access_token: userToken, client_id: (client ?? owner.client).client_id } };
    case 'open':
      return {};
  }
}

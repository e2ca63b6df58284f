import { withDatabase } from '../suite/database';
import { http } from '../suite/http';
import type { Ready } from '../suite/ready';
import { newUser } from '../suite/users';
import type { Party } from './parties';
import type { FormerIdentifiers, Identifiers, RouteCase } from './route-case';

/** The routes of the authorization server. */
export function tokenRoutes(ready: Ready): RouteCase[] {
  const users = `${ready.base_url}/user-management/v1/user`;
  const code = async ({ client, user }: Party): Promise<Identifiers> => {
    const form = { service_user_id: String(user.service_user_id) };
    return { code: (await http('POST', `${users}/auth-code`, { headers: { ...client }, form })).json.text('code') };
  };
  const refreshToken = async ({ client }: Party): Promise<Identifiers> => ({
    refresh_token: (await newUser(ready, client)).refresh_token,
  });
  const token = async (owner: Party): Promise<Identifiers> => ({
    token: (await newUser(ready, owner.client)).access_token,
  });
  const end = async (owner: Party, method: string, form: Record<string, string>): Promise<Identifiers> => {
    const { service_user_id, refresh_token } = await newUser(ready, owner.client);
    await http(method, users, {
      headers: { ...owner.client },
      form: { ...form, service_user_id: String(service_user_id) },
    });
    return { refresh_token };
  };
  /** Lets the time of a code or refresh token be over. */
  const expire = async (column: 'code' | 'refresh', value: string | number | undefined): Promise<void> =>
    withDatabase(ready, async (database) => {
      const expiry = column === 'code' ? 'code_expires_at' : 'expires_at';
      const { rowCount } = await database.query(
        `UPDATE auth.token_family SET ${expiry} = now() - interval '1 minute' WHERE ${column}_sha256 = sha256($1)`,
        [Buffer.from(String(value))],
      );
      if (rowCount !== 1) throw new Error(`the ${column} to expire is not stored`);
    });
  const asToken = ({ make }: FormerIdentifiers): FormerIdentifiers => ({
    make: async (owner) => ({ token: (await make(owner))['refresh_token'] ?? '' }),
  });
  const deleted: FormerIdentifiers = { make: (owner) => end(owner, 'DELETE', {}) };
  const deactivated: FormerIdentifiers = { make: (owner) => end(owner, 'PUT', { active: 'false' }) };
  const expired: FormerIdentifiers = {
    make: async (owner) => {
      const identifiers = await refreshToken(owner);
      await expire('refresh', identifiers['refresh_token']);
      return identifiers;
    },
  };
  const former = { deleted: asToken(deleted), deactivated: asToken(deactivated), expired: asToken(expired) };
  return [
    {
      operationId: 'exchangeForTokens',
      about: 'a code',
      make: code,
      request: ({ code: value }) => ({ form: { grant_type: 'authorization_code', code: String(value) } }),
      refuses: 400,
      expired: {
        make: async (owner) => {
          const identifiers = await code(owner);
          await expire('code', identifiers['code']);
          return identifiers;
        },
      },
    },
    {
      operationId: 'exchangeForTokens',
      about: 'a refresh token',
      make: refreshToken,
      request: ({ refresh_token }) => ({ form: { grant_type: 'refresh_token', refresh_token: String(refresh_token) } }),
      refuses: 400,
      deleted,
      deactivated,
      expired,
    },
    {
      operationId: 'introspectToken',
      make: token,
      request: ({ token: value }) => ({ form: { token: String(value) } }),
      refuses: 200,
      ...former,
    },
    {
      operationId: 'revokeToken',
      make: token,
      request: ({ token: value }) => ({ form: { token: String(value) } }),
      refuses: 400,
      differs: 'RFC 7009, section 2.1: the client is told that the token was issued to another one',
      ...former,
    },
    // They name nothing: a client manages itself only. The last two would end what the other cases need.
    { operationId: 'readClient', request: () => ({}) },
    { operationId: 'readClientUsage', request: () => ({}) },
    { operationId: 'changeClient', request: () => ({ json: { people: 'one' } }) },
    { operationId: 'rotateClientSecret', request: () => ({ json: { overlap_hours: -1 } }), succeeds: 400 },
    { operationId: 'deleteClient', request: () => ({ json: { confirm: 'another name' } }), succeeds: 400 },
  ];
}

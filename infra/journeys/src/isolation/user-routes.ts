import { type Reply, http } from '../suite/http';
import type { Ready } from '../suite/ready';
import { type User, collected, connect, newAppUserId, newUser } from '../suite/users';
import type { Party } from './parties';
import type { FormerIdentifiers, Identifiers, RouteCase, Sender } from './route-case';

/** The routes of users, of connections, and of the link that begins a connection. */
export function userRoutes(ready: Ready): RouteCase[] {
  const users = `${ready.base_url}/user-management/v1/user`;
  const change = (method: string, { client }: Party, form: Record<string, string>): Promise<Reply> =>
    http(method, users, { headers: { ...client }, form });
  const newUserOf = async ({ client }: Party): Promise<User> => newUser(ready, client);
  const userId = async (owner: Party): Promise<Identifiers> => ({
    service_user_id: (await newUserOf(owner)).service_user_id,
  });
  const deleted: FormerIdentifiers = {
    make: async (owner) => {
      const { service_user_id } = await newUserOf(owner);
      await change('DELETE', owner, { service_user_id: String(service_user_id) });
      return { service_user_id };
    },
  };
  const deactivated = (status: number): FormerIdentifiers => ({
    status,
    make: async (owner) => {
      const { service_user_id } = await newUserOf(owner);
      await change('PUT', owner, { service_user_id: String(service_user_id), active: 'false' });
      return { service_user_id };
    },
  });
  const form = ({ service_user_id }: Identifiers): Record<string, string> => ({
    service_user_id: String(service_user_id),
  });
  return [
    {
      operationId: 'createUser',
      make: async (owner) => ({ app_user_id: (await newUserOf(owner)).app_user_id }),
      request: ({ app_user_id }) => ({ form: { app_user_id: String(app_user_id) } }),
      // Each client has app_user_ids of its own.
      succeeds: 409,
      refuses: 200,
      isNew: true,
    },
    {
      operationId: 'newAuthorizationCode',
      make: userId,
      request: (identifiers) => ({ form: form(identifiers) }),
      deleted,
      deactivated: deactivated(403),
    },
    {
      operationId: 'newAuthorizationCode',
      about: 'by app_user_id',
      make: async (owner) => ({ app_user_id: (await newUserOf(owner)).app_user_id }),
      request: ({ app_user_id }) => ({ form: { app_user_id: String(app_user_id) } }),
    },
    {
      operationId: 'listUsers',
      make: userId,
      request: (identifiers) => ({ query: form(identifiers) }),
      refuses: 200,
      deleted,
      deactivated: deactivated(200),
    },
    { operationId: 'listUsers', about: 'all', request: () => ({}) },
    { operationId: 'getActivity', request: () => ({}) },
    { operationId: 'readUsage', request: () => ({}) },
    {
      operationId: 'changeUser',
      make: userId,
      request: (identifiers) => ({ form: { ...form(identifiers), app_user_id: newAppUserId(), active: 'true' } }),
      deleted,
      deactivated: deactivated(200),
    },
    {
      operationId: 'deleteUser',
      make: userId,
      request: (identifiers) => ({ form: form(identifiers) }),
      deleted,
      deactivated: deactivated(200),
    },
    ...connectionRoutes(ready, deleted, deactivated),
    ...connectRoutes(ready),
  ];
}

function connectionRoutes(
  ready: Ready,
  deleted: FormerIdentifiers,
  deactivated: (status: number) => FormerIdentifiers,
): RouteCase[] {
  let made: Promise<Identifiers> | undefined;
  const connection = async ({ user }: Party): Promise<Identifiers> => {
    made ??= (async () => {
      await connect(ready, user, 'small-Ida-Kowalczyk', { fhirVersion: 'r4' });
      const [first] = await collected(ready, user);
      return { connection_id: first?.text('connection_id') ?? '', service_user_id: user.service_user_id };
    })();
    const identifiers = await made;
    // A collection that runs in the background changes the connection.
    await collected(ready, user);
    return identifiers;
  };
  /** A client names the user whose connections are meant. */
  const ofUser = (serviceUserId: unknown, { scheme }: Sender): { query?: Record<string, string> } =>
    scheme === 'client_id' ? { query: { service_user_id: String(serviceUserId) } } : {};
  const link = { health_system_id: ready.sandbox.health_system_id, fhirVersion: 'r4' };
  const routes = ['getConnection', 'getConsent', 'refreshConnection', 'revokeConnection'];
  const clientOnly = { schemes: ['client_id'] as const };
  return [
    {
      operationId: 'listConnections',
      about: 'of the user',
      request: (_, sender) => ofUser(sender.party.user.service_user_id, sender),
    },
    {
      operationId: 'listConnections',
      about: 'of a user that the client names',
      ...clientOnly,
      make: async ({ user }) => ({ service_user_id: user.service_user_id }),
      request: ({ service_user_id }, sender) => ofUser(service_user_id, sender),
      deleted,
      deactivated: deactivated(200),
    },
    {
      operationId: 'createConnectLink',
      request: (_, sender) => ({ ...ofUser(sender.party.user.service_user_id, sender), json: link }),
      succeeds: 201,
    },
    {
      operationId: 'createConnectLink',
      about: 'for a user that the client names',
      ...clientOnly,
      make: async ({ user }) => ({ service_user_id: user.service_user_id }),
      request: ({ service_user_id }) => ({ json: { ...link, service_user_id } }),
      succeeds: 201,
      deleted,
      deactivated: deactivated(403),
    },
    ...routes.flatMap((operationId): RouteCase[] => [
      {
        operationId,
        about: 'of a user that the client names',
        ...clientOnly,
        make: connection,
        request: ({ connection_id = '', service_user_id }, sender) => ({
          path: { connection_id },
          ...ofUser(service_user_id, sender),
        }),
      },
      {
        operationId,
        make: connection,
        request: ({ connection_id = '' }, sender) => ({
          path: { connection_id },
          ...ofUser(sender.party.user.service_user_id, sender),
        }),
      },
    ]),
  ];
}

function connectRoutes(ready: Ready): RouteCase[] {
  const path = { health_system_id: ready.sandbox.health_system_id };
  const link = { path, query: { fhirVersion: 'r4', prompt: 'none', login_hint: 'small-Ida-Kowalczyk' } };
  const cookies = new Map<string | number, string>();
  return [
    {
      operationId: 'connect',
      schemes: ['connect_link'],
      request: () => link,
      succeeds: 302,
      withoutCredentials: 400,
    },
    {
      operationId: 'connect',
      about: 'again for a connection',
      schemes: ['connect_link'],
      make: async ({ user }) => {
        await connect(ready, user, 'small-Ida-Kowalczyk', { fhirVersion: 'r4' });
        const connections = await collected(ready, user);
        return { connection_id: connections.at(-1)?.text('connection_id') ?? '' };
      },
      request: ({ connection_id }) => ({ ...link, query: { ...link.query, connection_id: String(connection_id) } }),
      succeeds: 302,
      withoutCredentials: 400,
    },
    {
      operationId: 'connect',
      about: 'with an access token of another client',
      schemes: ['open'],
      make: async ({ userToken }) => ({ access_token: userToken }),
      request: ({ access_token }, { party }) => ({
        ...link,
        query: { ...link.query, client_id: party.client.client_id, access_token: String(access_token) },
      }),
      succeeds: 302,
      refuses: 401,
    },
    ...(['openConnectLink', 'answerConnectLink'] as const).map((operationId): RouteCase => ({
      operationId,
      schemes: ['open'],
      make: async ({ userToken }) => {
        const created = await http('POST', `${ready.base_url}/connect/v1/links`, {
          headers: { Authorization: `Bearer ${userToken}` },
          json: path,
        });
        const url = created.json.text('url');
        const id = url.split('/').at(-1) ?? '';
        cookies.set(id, (await http('GET', url)).headers.getSetCookie()[0]?.split(';')[0] ?? '');
        return { link: id };
      },
      request: ({ link: id = '' }, { isOwner }) => {
        const own = cookies.get(id) ?? `unknown=${'0'.repeat(43)}`;
        const [name = ''] = own.split('=');
        return {
          path: { link: id },
          headers: { Cookie: isOwner ? own : `${name}=${'0'.repeat(43)}` },
          ...(operationId === 'answerConnectLink' ? { form: { answer: 'no' } } : {}),
        };
      },
      succeeds: operationId === 'openConnectLink' ? 200 : 303,
      refuses: 410,
    })),
    ...(['connectCallback', 'connectCallbackOfRegistration'] as const).map((operationId): RouteCase => ({
      operationId,
      schemes: ['open'],
      make: async ({ client, userToken }) => {
        const query = new URLSearchParams({ ...link.query, client_id: client.client_id, access_token: userToken });
        const url = `${ready.base_url}/connect/system/clinical/${path.health_system_id}?${query}`;
        const begun = await http('GET', url);
        const callback = await http('GET', begun.headers.get('location') ?? '');
        const { searchParams } = new URL(callback.headers.get('location') ?? '');
        const state = searchParams.get('state') ?? '';
        cookies.set(state, begun.headers.getSetCookie()[0]?.split(';')[0] ?? '');
        return { state, code: searchParams.get('code') ?? '' };
      },
      request: ({ state = '', code = '' }, { isOwner }) => {
        const own = cookies.get(state) ?? `unknown=${'0'.repeat(43)}`;
        const [name = ''] = own.split('=');
        return {
          ...(operationId === 'connectCallback' ? {} : { path: { callback: 'sandbox' } }),
          query: { state: String(state), code: String(code) },
          headers: { Cookie: isOwner ? own : `${name}=${'0'.repeat(43)}` },
        };
      },
      succeeds: 302,
      refuses: 400,
    })),
  ];
}

import {
  appUserId,
  changedUser,
  done,
  exampleValues,
  serviceUserIdText,
  userChange,
  userCreation,
  userCreationBody,
  userCreationQuery,
  userDeletion,
  userList,
  userSelection,
  userWithCode,
  offset,
  pageLimit,
  documentedOffset,
} from '@tributary/contracts';
import {
  type Api,
  type RouteResponse,
  badRequest,
  clientCredentialsAuthentication,
  clientInHeadersOrQuery,
} from '@tributary/service-kit';
import { z } from 'zod';
import type { Dependencies } from '../dependencies';
import { changeUser, createUser, deleteUser, issueCode } from './user-changes';

const listQuery = z.object({
  service_user_id: serviceUserIdText.optional(),
  app_user_id: appUserId.optional(),
  offset: offset.default(0).describe('The index of the first user.').meta({ documented: documentedOffset }),
  limit: pageLimit,
});

const refusals = {
  400: { description: 'Missing or bad input.' },
  401: { description: 'Wrong client credentials.' },
  429: { description: 'More than 300 requests of the client in an hour; `Retry-After` says when to try again.' },
};
const unknownUser: RouteResponse = { description: 'The client has no such user.', codes: ['user_not_found'] };
const takenIdentifier: RouteResponse = {
  description:
    'A user of the client has this app_user_id. `POST /user-management/v1/user/auth-code` issues a code for that user.',
  codes: ['user_already_exists'],
};

/** Routes under `{base_url}/user-management/v1`. */
export function serveUsers(api: Api, dependencies: Dependencies): void {
  const { users, clientAuthentication, limits } = dependencies;
  const common = { tags: ['Users'], authentication: clientAuthentication, limits: [limits.users] };

  api.route(
    {
      method: 'post',
      path: '/user-management/v1/user',
      operationId: 'createUser',
      summary: 'Create a user',
      audit: { kind: 'user.created', action: 'C' },
      description:
        'Credentials in the headers and `app_user_id` in a form or JSON body; or all three as query parameters, and then the body can be absent. When the response is lost, repeat the request: 409 `user_already_exists` means that the user was created, and `POST /user-management/v1/user/auth-code` gives a code.',
      ...common,
      authentication: clientCredentialsAuthentication(dependencies, (request) => request.query),
      query: userCreationQuery,
      body: userCreationBody,
      documentedBody: userCreation,
      documentedSecurity: clientInHeadersOrQuery,
      responses: {
        200: { description: 'The user, with an authorization code.', schema: userWithCode },
        ...refusals,
        409: takenIdentifier,
      },
    },
    async ({ principal, query, body, requestId, audit }) => {
      const given = requiredAppUserId(query.app_user_id, body.app_user_id);
      const created = await createUser(dependencies, principal.client_id, given, { requestId });
      audit({ subject: created.service_user_id });
      return created;
    },
  );

  api.route(
    {
      method: 'post',
      path: '/user-management/v1/user/auth-code',
      operationId: 'newAuthorizationCode',
      summary: 'A new authorization code for a user',
      audit: { kind: 'code.issued', action: 'E' },
      description: 'The user is named by `app_user_id` or by `service_user_id`, which webhooks carry.',
      ...common,
      body: userSelection,
      bodyExamples: {
        by_app_user_id: { app_user_id: exampleValues.app_user_id },
        by_service_user_id: { service_user_id: exampleValues.service_user_id },
      },
      responses: {
        200: { description: 'The user, with a new code.', schema: userWithCode },
        ...refusals,
        403: { description: 'The user is not active.', codes: ['user_inactive'] },
        404: unknownUser,
      },
    },
    async ({ principal, body: { app_user_id, service_user_id }, requestId, audit }) => {
      const selection = { appUserId: app_user_id, serviceUserId: service_user_id };
      const issued = await issueCode(dependencies, principal.client_id, selection, { requestId });
      audit({ subject: issued.service_user_id });
      return issued;
    },
  );

  api.route(
    {
      method: 'get',
      path: '/user-management/v1/user',
      operationId: 'listUsers',
      summary: 'List users, or find one',
      audit: { kind: 'user.read', action: 'R' },
      ...common,
      query: listQuery,
      responses: { 200: { description: 'A page of the users of the client.', schema: userList }, ...refusals },
    },
    async ({ principal, query: { service_user_id, app_user_id, offset, limit }, audit }) => {
      const page = await users.list(
        principal.client_id,
        { serviceUserId: service_user_id, appUserId: app_user_id },
        offset,
        limit,
      );
      const [only, ...others] = page.users;
      audit({
        subject: others.length === 0 ? only?.serviceUserId : undefined,
        entities: [{ type: 'User', count: page.users.length }],
      });
      return {
        success: true,
        total: page.total,
        offset,
        limit,
        entry: await Promise.all(page.users.map((user) => users.entry(user))),
      };
    },
  );

  api.route(
    {
      method: 'put',
      path: '/user-management/v1/user',
      operationId: 'changeUser',
      summary: 'Change the app_user_id of a user, or deactivate or reactivate the user',
      audit: { kind: 'user.changed', action: 'U' },
      description: 'A deactivation revokes all tokens and codes of the user before the response.',
      ...common,
      body: userChange,
      example: {
        body: { service_user_id: exampleValues.service_user_id, app_user_id: exampleValues.app_user_id, active: true },
      },
      responses: {
        200: { description: 'The changed user.', schema: changedUser },
        ...refusals,
        404: unknownUser,
        409: takenIdentifier,
      },
    },
    async ({ principal, body, requestId, audit }) => {
      const changed = await changeUser(
        dependencies,
        principal.client_id,
        body.service_user_id,
        { appUserId: body.app_user_id, active: body.active },
        { requestId },
      );
      audit({ subject: body.service_user_id });
      return changed;
    },
  );

  api.route(
    {
      method: 'delete',
      path: '/user-management/v1/user',
      operationId: 'deleteUser',
      summary: 'Delete a user and the record of the user',
      audit: { kind: 'user.deleted', action: 'D' },
      description:
        'Revokes the tokens, deletes the connections and destroys the record with its key. A deletion that failed half-way can be repeated.',
      ...common,
      body: userDeletion,
      responses: { 200: { description: 'The user is deleted.', schema: done }, ...refusals, 404: unknownUser },
    },
    async ({ principal, body, requestId, audit }) => {
      await deleteUser(dependencies, principal.client_id, body.service_user_id, { requestId });
      audit({ subject: body.service_user_id });
      return { success: true };
    },
  );
}

function requiredAppUserId(inQuery: string | undefined, inBody: string | undefined): string {
  const given = inBody ?? inQuery;
  if (given === undefined) throw badRequest('app_user_id is missing');
  if (inQuery !== undefined && inQuery !== given) throw badRequest('app_user_id is given twice, with different values');
  return given;
}

import { z } from 'zod';
import { exampleValues } from '../examples';
import { appUserId, clientId, documentedId, serviceUserId, serviceUserIdText } from '../identifiers';

/** Requests and responses of the public API of user management. */

const ok = z.literal(true);

/** Response of `POST /user-management/v1/user` and of `POST /user-management/v1/user/auth-code`. */
export const userWithCode = z
  .object({
    success: ok,
    code: z
      .string()
      .describe('OAuth 2.0 authorization code of the user, valid for ten minutes and one use.')
      .meta({ examples: [exampleValues.code] }),
    service_user_id: serviceUserId,
    app_user_id: appUserId,
    active: z.literal(true),
  })
  .meta({ id: 'UserWithCode' });
export type UserWithCode = z.infer<typeof userWithCode>;

export const userEntry = z
  .object({
    service_user_id: serviceUserId,
    app_user_id: appUserId,
    active: z.boolean(),
  })
  .meta({ id: 'User' });
export type UserEntry = z.infer<typeof userEntry>;

/** Response of `GET /user-management/v1/user`. */
export const userList = z
  .object({
    success: ok,
    total: z
      .int()
      .min(0)
      .meta({ examples: [1] }),
    offset: z.int().min(0),
    limit: z
      .int()
      .min(1)
      .max(100)
      .meta({ examples: [20] }),
    entry: z.array(userEntry).describe('By ascending service_user_id.'),
  })
  .meta({ id: 'UserList' });

/** Response of `PUT /user-management/v1/user`. */
export const changedUser = userEntry.extend({ success: ok }).meta({ id: 'ChangedUser' });
export type ChangedUser = z.infer<typeof changedUser>;

/** Response of a request without further results. */
export const done = z.object({ success: ok }).meta({ id: 'Success' });

/** A number in JSON, or its digits in a form. */
const serviceUserIdField = z
  .union([serviceUserId, serviceUserIdText], {
    error: ({ input }) => (input === undefined ? 'is missing' : 'must be a positive integer'),
  })
  .meta({ documented: { ...documentedId, examples: [exampleValues.service_user_id] } });
const activeField = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], 'must be true or false')
  .meta({ documented: { type: 'boolean' } });

/** Body of `POST /user-management/v1/user/auth-code`. */
export const userSelection = z
  .object({
    app_user_id: appUserId.optional(),
    service_user_id: serviceUserIdField
      .optional()
      .describe('Instead of app_user_id. With both, they must be those of one user.'),
  })
  .refine(({ app_user_id, service_user_id }) => app_user_id !== undefined || service_user_id !== undefined, {
    path: ['app_user_id'],
    message: 'is missing: give app_user_id or service_user_id',
  })
  .meta({ id: 'UserSelection' });

/** Body of `PUT /user-management/v1/user`; absent fields stay unchanged. */
export const userChange = z
  .object({ service_user_id: serviceUserIdField, app_user_id: appUserId.optional(), active: activeField.optional() })
  .refine((change) => change.app_user_id !== undefined || change.active !== undefined, {
    path: ['app_user_id'],
    message: 'is missing: give the new app_user_id, or active',
  })
  .meta({ id: 'UserChange' });

/** Body of `DELETE /user-management/v1/user`. */
export const userDeletion = z.object({ service_user_id: serviceUserIdField }).meta({ id: 'UserDeletion' });

/** Client credentials in the query; the authentication reads them. */
const credentialsInQuery = {
  client_id: clientId.optional().meta({ documented: { undocumented: true } }),
  client_secret: z
    .string()
    .optional()
    .meta({ documented: { undocumented: true } }),
};

/** How the body of `POST /user-management/v1/user` is documented: the form without a body is for older clients. */
export const userCreation = z.object({ app_user_id: appUserId }).meta({ id: 'UserCreation' });

/** Query form of `POST /user-management/v1/user`. */
export const userCreationQuery = z.object({
  app_user_id: appUserId
    .optional()
    .describe('Beside credentials in the query, in place of the body.')
    .meta({ deprecated: true }),
  ...credentialsInQuery,
});

/** Body form of `POST /user-management/v1/user`. */
export const userCreationBody = z.object({ app_user_id: appUserId.optional() });

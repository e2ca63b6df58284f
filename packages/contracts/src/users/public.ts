import { z } from 'zod';
import { appUserId, clientId, serviceUserId, serviceUserIdText } from '../identifiers';

/** Requests and responses of the public API of user management. */

const ok = z.literal(true);

/** Response of `POST /user-management/v1/user` and of `POST /user-management/v1/user/auth-code`. */
export const userWithCode = z.object({
  success: ok,
  code: z.string().describe('OAuth 2.0 authorization code of the user, valid for ten minutes and one use.'),
  service_user_id: serviceUserId,
  app_user_id: appUserId,
  active: z.literal(true),
});
export type UserWithCode = z.infer<typeof userWithCode>;

export const userEntry = z.object({
  service_user_id: serviceUserId,
  app_user_id: appUserId,
  active: z.boolean(),
});
export type UserEntry = z.infer<typeof userEntry>;

/** Response of `GET /user-management/v1/user`. */
export const userList = z.object({
  success: ok,
  total: z.int().min(0),
  offset: z.int().min(0),
  limit: z.int().min(1).max(100),
  entry: z.array(userEntry).describe('By ascending service_user_id.'),
});

/** Response of `PUT /user-management/v1/user`. */
export const changedUser = userEntry.extend({ success: ok });
export type ChangedUser = z.infer<typeof changedUser>;

/** Response of a request without further results. */
export const done = z.object({ success: ok });

/** A number in JSON, or its digits in a form. */
const serviceUserIdField = z.union([serviceUserId, serviceUserIdText], {
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be a positive integer'),
});
const activeField = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'must be true or false',
);

/** Body of `POST /user-management/v1/user/auth-code`. */
export const userSelection = z.object({ app_user_id: appUserId });

/** Body of `PUT /user-management/v1/user`; absent fields stay unchanged. */
export const userChange = z
  .object({ service_user_id: serviceUserIdField, app_user_id: appUserId.optional(), active: activeField.optional() })
  .refine((change) => change.app_user_id !== undefined || change.active !== undefined, {
    path: ['app_user_id'],
    message: 'is missing: give the new app_user_id, or active',
  });

/** Body of `DELETE /user-management/v1/user`. */
export const userDeletion = z.object({ service_user_id: serviceUserIdField });

/** Client credentials in the query; the authentication reads them. */
const credentialsInQuery = { client_id: clientId.optional(), client_secret: z.string().optional() };

/** Query form of `POST /user-management/v1/user`. */
export const userCreationQuery = z.object({ app_user_id: appUserId.optional(), ...credentialsInQuery });

/** Body form of `POST /user-management/v1/user`. */
export const userCreationBody = z.object({ app_user_id: appUserId.optional() });

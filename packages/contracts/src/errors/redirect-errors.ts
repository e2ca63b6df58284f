import { z } from 'zod';

/**
 * Why a user returns from connect without a connection: `error` of the redirect to the client, beside `success=false`.
 * `infra/docs/errors.md` is generated from this.
 */
export const redirectErrors = {
  access_denied: {
    cause: 'The user denied access, or did not sign in at the health system.',
    remedy: 'Offer to connect again.',
  },
  no_patient: {
    cause:
      'The health system names no patient: the account is that of a practitioner, of a relative, or has no record.',
    remedy: 'Ask for the account of the patient.',
  },
  other_person: {
    cause:
      'The Patient at the health system is another person than those of the record, such as a child of the user. Nothing was stored.',
    remedy:
      'Tell the user, and connect a record of its own for the other person; or connect again with `confirm_person=true` when both belong together.',
  },
  invalid_scope: {
    cause: 'The health system refuses every set of scopes that it was asked for.',
    remedy: 'Tell the operator, who sets the scopes of the registration.',
  },
  not_registered: {
    cause: 'Tributary is not registered at the health system, or the health system refuses its registration.',
    remedy: 'Offer systems with `connectable` true. The operator registers the service.',
  },
  system_unavailable: {
    cause: 'The health system does not respond, or responds with an error of its own.',
    remedy: 'Offer to try again later.',
  },
  expired: {
    cause: 'The connect session took longer than ten minutes, or the authorization code of the health system expired.',
    remedy: 'Offer to connect again.',
  },
  server_error: {
    cause: 'An error of this service, or a request of it that the health system does not understand.',
    remedy: 'Offer to try again later; tell the operator if it stays.',
  },
  user_inactive: {
    cause: 'The user was deactivated or deleted during the session.',
    remedy: 'Activate the user, and connect again.',
  },
} as const satisfies Record<string, { cause: string; remedy: string }>;

export type RedirectError = keyof typeof redirectErrors;
export const redirectError = z.enum(Object.keys(redirectErrors) as [RedirectError, ...RedirectError[]]);

import type { AuditEntity } from '@tributary/audit-log';
import { refusal } from '../common-routes';
import type { Session } from '../sessions/sessions';

/** Who asks for an organisation. */
export type Member = Pick<Session, 'developer'>;

export const unknownOrganisation = refusal('The account is a member of no such organisation.', 'not_found');

export const needsRole = refusal(
  'The role of the account does not allow it, or the session has a password only.',
  'role_not_allowed',
  'second_factor_required',
  'invalid_origin',
);

export function organisationEntity(id: string): AuditEntity {
  return { type: 'Organisation', id };
}

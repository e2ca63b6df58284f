import type { z } from 'zod';
import type * as operators from '../../../../src/developer-console/operator/operator-schemas';
import type * as schemas from '../../../../src/developer-console/schemas';

export type { ManagedClientWithSecret as ClientWithSecret } from '@tributary/contracts';
/** The answers of the console's API, by the schemas of its routes. */
export type { Account, MemberList, Role } from '../../../../src/developer-console/schemas';
export type PasswordAccepted = z.infer<typeof schemas.passwordAccepted>;
export type SessionList = z.infer<typeof schemas.sessionList>;
export type TotpSetup = z.infer<typeof schemas.totpSetup>;
export type FactorAdded = z.infer<typeof schemas.factorAdded>;
export type NewRecoveryCodes = z.infer<typeof schemas.newRecoveryCodes>;
export type Organisation = z.infer<typeof schemas.organisation>;
export type OpenedInvitation = z.infer<typeof schemas.readInvitation>;
export type Member = schemas.MemberList['entry'][number];
export type Invitation = schemas.MemberList['invitations'][number];

export type ClientList = z.infer<typeof schemas.clientList>;
export type Client = ClientList['entry'][number];

export type {
  KeysOfService,
  KeysProblem,
  OperatedAccount,
  OperatedOrganisation,
} from '../../../../src/developer-console/operator/operator-schemas';
export type OrganisationWithMembers = z.infer<typeof operators.organisationWithMembers>;
export type ClientOfOrganisation = z.infer<typeof operators.clientOfOrganisation>;

import type { ClientApplication } from '@tributary/contracts';
import type { z } from 'zod';
import type * as schemas from '../../../../src/developer-console/schemas';

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

/** A client application, as it and its organisation see it. */
export interface Client extends Omit<ClientApplication, 'logo'> {
  /** A data: URL, or that it has one. */
  logo?: string | true;
  jwks?: object;
  jwks_url?: string;
  previous_secret_expires_at?: string;
  disabled_at?: string;
  deletion_at?: string;
}

export interface ClientList {
  entry: Client[];
}

/** The secret is answered this once. */
export interface ClientWithSecret extends Client {
  client_secret: string;
}

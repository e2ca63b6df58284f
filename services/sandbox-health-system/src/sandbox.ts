import type { SigningKey } from './authorization/signing-key';
import type { GrantStates } from './authorization/grant';
import type { RegisteredClient } from './clients/registered-clients';
import type { Observations } from './control/observations';
import type { People } from './records/person';
import type { SignedTokens } from './signed-tokens';

/** The state and configuration that all routes share. */
export interface Sandbox {
  origins: string[];
  browserOrigin: string | undefined;
  elsewhereOrigin: string;
  clients: Map<string, RegisteredClient>;
  people: People;
  tokens: SignedTokens;
  grants: GrantStates;
  signingKey: SigningKey;
  observations: Observations;
  /** Epoch milliseconds. */
  now(): number;
}

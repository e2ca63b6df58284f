import type { SigningKey } from './authorization/signing-key';
import type { GrantStates } from './authorization/grant';
import type { RegisteredClient } from './clients/registered-clients';
import type { Observations } from './control/observations';
import type { People } from './records/person';
import type { SignedTokens } from './signed-tokens';

/** Everything that the routes of the sandbox share. */
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
  /** Milliseconds since 1970. */
  now(): number;
}

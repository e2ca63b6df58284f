import type { Release } from '../releases';
import type { Counters } from '../scenarios/scenario';

/** What a person allowed a client to do; carried inside codes and tokens. */
export interface GrantFacts {
  grantId: string;
  username: string;
  clientId: string;
  scopes: string[];
  /** The misbehaviour asked for at sign-in. */
  scenarios: string[];
  /** The FHIR base for which the grant was asked (`aud`), and its release. */
  base: string;
  release: Release;
}

export interface CodeFacts extends GrantFacts {
  redirectUri: string;
  challenge: string;
  nonce?: string;
  expiresAt: number;
}

export interface AccessFacts extends GrantFacts {
  issuedAt: number;
  expiresAt: number;
}

export interface RefreshFacts extends GrantFacts {
  /** How many refresh tokens of the grant came before. */
  sequence: number;
}

/** What the sandbox remembers of one grant while it runs. */
export class GrantState implements Counters {
  private readonly counts = new Map<string, number>();
  revoked = false;
  codeSpent = false;
  /** The sequence of the refresh token that is in force. */
  refreshSequence = 0;
  /** Access tokens issued before this instant are dead. */
  accessDeadBefore = 0;

  count(what: string): number {
    const next = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, next);
    return next;
  }
}

/** The states of all grants. After a restart they begin anew; the tokens go on. */
export class GrantStates {
  private readonly states = new Map<string, GrantState>();

  of(grantId: string): GrantState {
    const state = this.states.get(grantId) ?? new GrantState();
    this.states.set(grantId, state);
    return state;
  }
}

import type { Release } from '../releases';

/** A grant of a person to a client; part of codes and tokens. */
export interface GrantClaims {
  grantId: string;
  username: string;
  clientId: string;
  scopes: string[];
  /** The scenarios chosen at sign-in. */
  scenarios: string[];
  /** The FHIR base of the authorization request (`aud`), and its release. */
  base: string;
  release: Release;
}

export interface CodeClaims extends GrantClaims {
  redirectUri: string;
  challenge: string;
  nonce?: string;
  expiresAt: number;
}

export interface AccessClaims extends GrantClaims {
  issuedAt: number;
  expiresAt: number;
}

export interface RefreshClaims extends GrantClaims {
  /** The number of earlier refresh tokens of the grant. */
  sequence: number;
}

/** Counters of events under one grant, for conditions such as "the first time" and "every third time". */
export interface Counters {
  /** Increments the counter of `what`, and returns it. */
  count(what: string): number;
}

/** The state of one grant, in memory only. */
export class GrantState implements Counters {
  private readonly counts = new Map<string, number>();
  revoked = false;
  codeSpent = false;
  /** The sequence of the valid refresh token. */
  refreshSequence = 0;
  /** Access tokens issued earlier are invalid; epoch milliseconds. */
  accessDeadBefore = 0;

  count(what: string): number {
    const next = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, next);
    return next;
  }
}

/** The states of all grants. A restart resets them; the tokens stay valid. */
export class GrantStates {
  private readonly states = new Map<string, GrantState>();

  of(grantId: string): GrantState {
    const state = this.states.get(grantId) ?? new GrantState();
    this.states.set(grantId, state);
    return state;
  }
}

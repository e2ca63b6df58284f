import { createHash, randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { changedRows } from '../database/changed-rows';
import { UserNoLongerActive, type UserKeys } from '../users/user-keys';
import { type Journey, type Leg, journey, leg } from './connect-session';

export const attemptLifetimeSeconds = 600;
const removedAtOnce = 1000;

const contents = z.object({
  journey,
  leg,
  codeVerifier: z.string(),
  scope: z.string().default('').describe('What was asked for; absent in attempts of an earlier release.'),
});
export type Attempt = z.infer<typeof contents>;

/** Authorizations under way. A state is known only as its hash, is good once, for ten minutes, and in the browser that began it. */
export class Attempts {
  constructor(
    private readonly source: DataSource,
    private readonly keys: UserKeys,
  ) {}

  /** Begins one. @returns its state, and the secret for the browser's cookie @throws UserNoLongerActive */
  async begin(
    forJourney: Journey,
    forLeg: Leg,
    codeVerifier: string,
    scope: string,
  ): Promise<{ state: string; browserSecret: string }> {
    const [state, browserSecret] = [secret(), secret()];
    const { serviceUserId } = forJourney;
    const attempt: Attempt = { journey: forJourney, leg: forLeg, codeVerifier, scope };
    const sealed = (await this.keys.of(serviceUserId)).sealText(JSON.stringify(attempt), associatedData(state));
    const inserted = (await this.source.query(
      `INSERT INTO authorization_attempt (state_hash, browser_hash, service_user_id, sealed, expires_at)
       SELECT $1, $2, service_user_id, $4, now() + $5 * interval '1 second' FROM service_user WHERE service_user_id = $3 AND state = 'active' FOR SHARE RETURNING true`,
      [hash(state), hash(browserSecret), serviceUserId, sealed, attemptLifetimeSeconds],
    )) as unknown[];
    if (inserted.length === 0) throw new UserNoLongerActive();
    return { state, browserSecret };
  }

  /** Ends one: of two who come with the same state, one gets it. Another browser gets nothing, and takes nothing away. */
  async take(state: string, browserSecret: string): Promise<Attempt | undefined> {
    const [row] = await changedRows<{ service_user_id: string; sealed: Buffer }>(
      this.source,
      'DELETE FROM authorization_attempt WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > now() RETURNING service_user_id, sealed',
      [hash(state), hash(browserSecret)],
    );
    if (!row) return undefined;
    return contents.parse(
      JSON.parse((await this.keys.of(Number(row.service_user_id))).openText(row.sealed, associatedData(state))),
    );
  }

  /** In steps, so that no statement holds many rows. */
  async removeExpired(): Promise<void> {
    const removeSome = (): Promise<unknown[]> =>
      changedRows(
        this.source,
        `DELETE FROM authorization_attempt WHERE state_hash IN (SELECT state_hash FROM authorization_attempt WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING true`,
        [removedAtOnce],
      );
    while ((await removeSome()).length === removedAtOnce);
  }
}

/** 256 random bits. */
export function secret(): string {
  return randomBytes(32).toString('base64url');
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function associatedData(state: string): string {
  return `authorization_attempt ${hash(state).toString('hex')}`;
}

import { createHash, randomBytes } from 'node:crypto';
import type { ScopedKeys } from '@tributary/key-vault';
import { type DataSource, LessThan } from 'typeorm';
import { z } from 'zod';
import { keyScopeOfUser } from '../connections/key-scope';
import { changedRows } from '../database/changed-rows';
import { attemptEntity } from './attempt';
import { type Journey, type Leg, journey, leg } from './journey';

export const attemptLifetimeSeconds = 600;

const contents = z.object({ journey, leg, codeVerifier: z.string() });
export type Attempt = z.infer<typeof contents>;

/** Authorizations under way. A state is known only as its hash, is good once, for ten minutes, and in the browser that began it. */
export class Attempts {
  constructor(
    private readonly source: DataSource,
    private readonly keys: ScopedKeys,
  ) {}

  /** Begins one. @returns its state, and the secret for the browser's cookie */
  async begin(forJourney: Journey, forLeg: Leg, codeVerifier: string): Promise<{ state: string; browserSecret: string }> {
    const [state, browserSecret] = [secret(), secret()];
    const { serviceUserId } = forJourney;
    const attempt: Attempt = { journey: forJourney, leg: forLeg, codeVerifier };
    const sealed = (await this.keys.keyFor(keyScopeOfUser(serviceUserId))).sealText(JSON.stringify(attempt), place(state));
    await this.source.getRepository(attemptEntity).insert({ stateHash: hash(state), browserHash: hash(browserSecret), serviceUserId, sealed, expiresAt: new Date(Date.now() + attemptLifetimeSeconds * 1000) });
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
    return contents.parse(JSON.parse((await this.keys.keyFor(keyScopeOfUser(Number(row.service_user_id)))).openText(row.sealed, place(state))));
  }

  async removeExpired(): Promise<void> {
    await this.source.getRepository(attemptEntity).delete({ expiresAt: LessThan(new Date()) });
  }
}

/** 256 random bits. */
export function secret(): string {
  return randomBytes(32).toString('base64url');
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function place(state: string): string {
  return `authorization_attempt ${hash(state).toString('hex')}`;
}

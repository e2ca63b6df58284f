import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

/** An expired row, which the sweep has not met yet, is no obstacle; of two that come at once, the second waits for the first and finds it. */
const spend = `
  INSERT INTO spent_assertion AS spent (client_id, jti_sha256, expires_at) VALUES ($1, $2, to_timestamp($3))
  ON CONFLICT (client_id, jti_sha256) DO UPDATE SET expires_at = excluded.expires_at WHERE spent.expires_at <= now()`;

/** The assertions that have been used, kept until they expire: each works once, on all replicas together. */
export class SpentAssertions {
  constructor(private readonly pool: Pool) {}

  /** @returns false when the client has used this jti before */
  async spend(clientId: string, jti: string, expiresAt: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'spend-assertion',
      text: spend,
      values: [clientId, createHash('sha256').update(jti).digest(), expiresAt],
    });
    return rowCount === 1;
  }
}

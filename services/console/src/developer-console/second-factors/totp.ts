import type { ScopedKeys } from '@tributary/key-vault';
import { Secret, TOTP } from 'otpauth';
import type { Pool } from 'pg';

/** What all authenticators understand (RFC 6238): SHA-1, six digits, steps of 30 s. */
const issuer = 'Tributary';
const secretBytes = 20;
/** How many steps the clock of an authenticator may be wrong. */
const window = 1;

export interface NewTotp {
  /** Base32. */
  secret: string;
  /** otpauth:// */
  uri: string;
}

/** @param email names the account in the authenticator */
export function newTotp(email: string): NewTotp {
  const totp = new TOTP({ issuer, label: email, secret: new Secret({ size: secretBytes }) });
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * @param at epoch milliseconds
 * @returns the step of the code; undefined when it is no code of the steps around that time
 */
export function stepOfCode(secret: string, code: string, at: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: at, window });
  return delta === null ? undefined : totp.counter({ timestamp: at }) + delta;
}

/** The secrets of authenticators, sealed for their account. */
export class TotpSecrets {
  constructor(private readonly keys: ScopedKeys) {}

  async seal(secret: string, accountId: string): Promise<Buffer> {
    return (await this.keys.keyFor('totp')).sealText(secret, associatedData(accountId));
  }

  async open(sealed: Buffer, accountId: string): Promise<string> {
    return (await this.keys.keyFor('totp')).openText(sealed, associatedData(accountId));
  }
}

function associatedData(accountId: string): string {
  return `totp ${accountId}`;
}

/**
 * Uses a code of the authenticator of an account. A code, and each one before it, works once, also on several replicas.
 * @returns whether the code is right
 */
export async function useTotp(pool: Pool, secrets: TotpSecrets, accountId: string, code: string): Promise<boolean> {
  const { rows } = await pool.query<{ sealed: Buffer | null; ms: number }>(
    'SELECT totp_sealed AS sealed, extract(epoch FROM now())::float8 * 1000 AS ms FROM account WHERE id = $1',
    [accountId],
  );
  const [row] = rows;
  if (!row?.sealed) return false;
  const step = stepOfCode(await secrets.open(row.sealed, accountId), code, row.ms);
  if (step === undefined) return false;
  const { rowCount } = await pool.query(
    `UPDATE account SET totp_last_step = $2
     WHERE id = $1 AND totp_sealed = $3 AND (totp_last_step IS NULL OR totp_last_step < $2)`,
    [accountId, step, row.sealed],
  );
  return rowCount === 1;
}

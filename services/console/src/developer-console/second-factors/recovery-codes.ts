import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { secretHash } from '../secrets';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const numberOfCodes = 10;
/** 80 random bits: the hash needs neither a salt nor stretching. */
const characters = 16;

/** A code such as `ABCD-EFGH-IJKL-MNOP`. */
function newCode(): string {
  const text = [...randomBytes(characters)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return text.match(/.{4}/g)?.join('-') ?? text;
}

/** As a code is compared: in upper case, without hyphens and spaces. */
function hashOf(code: string): Buffer {
  return secretHash(code.toUpperCase().replaceAll(/[\s-]/g, ''));
}

/** Gives an account new codes; its earlier ones end. */
export async function replaceRecoveryCodes(on: PoolClient, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: numberOfCodes }, newCode);
  await on.query('DELETE FROM recovery_code WHERE account_id = $1', [accountId]);
  await on.query('INSERT INTO recovery_code (account_id, code_sha256) SELECT $1, unnest($2::bytea[])', [
    accountId,
    codes.map(hashOf),
  ]);
  return codes;
}

/**
 * Uses up a code. Of concurrent requests one succeeds, as the others wait for its row.
 * @returns how many codes are left; undefined when the code is wrong or used
 */
export async function useRecoveryCode(on: PoolClient, accountId: string, code: string): Promise<number | undefined> {
  const { rowCount } = await on.query(
    'UPDATE recovery_code SET used_at = now() WHERE account_id = $1 AND code_sha256 = $2 AND used_at IS NULL',
    [accountId, hashOf(code)],
  );
  if (rowCount !== 1) return undefined;
  const { rows } = await on.query<{ left: number }>(
    'SELECT count(*)::int AS left FROM recovery_code WHERE account_id = $1 AND used_at IS NULL',
    [accountId],
  );
  return rows[0]?.left ?? 0;
}

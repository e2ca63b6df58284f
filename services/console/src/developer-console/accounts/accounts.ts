import type { Pool } from 'pg';
import type { Account } from '../schemas';
import type { Session } from '../sessions/sessions';

export interface StoredAccount {
  id: string;
  email: string;
  passwordHash: string;
  isVerified: boolean;
}

const columns = 'id, email, password_hash AS "passwordHash", verified_at IS NOT NULL AS "isVerified"';

/** The account of an address, in any case of its letters; undefined when there is none, or it is disabled. */
export async function findAccount(on: Pool, email: string): Promise<StoredAccount | undefined> {
  const { rows } = await on.query<StoredAccount>(
    `SELECT ${columns} FROM account WHERE lower(email) = lower($1) AND disabled_at IS NULL`,
    [email],
  );
  return rows[0];
}

/** The hash of the password of an account. */
export async function passwordHashOf(on: Pool, accountId: string): Promise<string | undefined> {
  const { rows } = await on.query<{ hash: string }>('SELECT password_hash AS hash FROM account WHERE id = $1', [
    accountId,
  ]);
  return rows[0]?.hash;
}

interface AccountRow {
  name: string;
  created_at: Date;
  totp_added_at: Date | null;
  passkeys: { id: string; name: string; created_at: string; last_used_at: string | null }[];
  recovery_codes_left: number;
  organisations: Account['organisations'];
}

const readAccount = `
  SELECT a.name, a.created_at, a.totp_added_at,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'created_at', p.created_at,
       'last_used_at', p.last_used_at) ORDER BY p.created_at), '[]') FROM passkey p WHERE p.account_id = a.id) AS passkeys,
    (SELECT count(*)::int FROM recovery_code c WHERE c.account_id = a.id AND c.used_at IS NULL) AS recovery_codes_left,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role,
       'may_have_live_clients', o.may_have_live_clients) ORDER BY lower(o.name), o.id), '[]')
     FROM membership m JOIN organisation o ON o.id = m.organisation_id WHERE m.account_id = a.id) AS organisations
  FROM account a WHERE a.id = $1`;

/** The account of a session, as its owner sees it. With a password only, its organisations are not shown. */
export async function describeAccount(on: Pool, session: Session): Promise<Account> {
  const { rows } = await on.query<AccountRow>(readAccount, [session.developer]);
  const [row] = rows;
  if (!row) throw new Error('the account of a session does not exist');
  return {
    id: session.developer,
    email: session.email,
    name: row.name,
    created_at: row.created_at.toISOString(),
    session: {
      id: session.id,
      level: session.level,
      second_factor_at: session.secondFactorAt?.toISOString() ?? null,
      ends_at: session.endsAt.toISOString(),
    },
    second_factors: {
      totp: row.totp_added_at && { added_at: row.totp_added_at.toISOString() },
      passkeys: row.passkeys.map((passkey) => ({
        ...passkey,
        created_at: new Date(passkey.created_at).toISOString(),
        last_used_at: passkey.last_used_at && new Date(passkey.last_used_at).toISOString(),
      })),
      recovery_codes_left: row.recovery_codes_left,
    },
    organisations: session.level === 'password' ? [] : row.organisations,
    is_operator: session.level === 'second_factor' && session.isOperator,
  };
}

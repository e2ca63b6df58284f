import { RefusedCaller, inTransaction } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { Role } from '../schemas';

/** The role of an account in an organisation; undefined when it is no member, or there is no such organisation. */
async function roleIn(on: Pool | PoolClient, organisationId: string, accountId: string): Promise<Role | undefined> {
  const { rows } = await on.query<{ role: Role }>(
    'SELECT role FROM membership WHERE organisation_id = $1 AND account_id = $2',
    [organisationId, accountId],
  );
  return rows[0]?.role;
}

/**
 * The role of an account in an organisation, for what needs one of these roles.
 * @param what the error says that there is none of
 * @throws HttpError 404 when it is no member, as when there is no such organisation; 403 when its role is another
 */
export async function requireRole(
  on: Pool | PoolClient,
  organisationId: string,
  accountId: string,
  allowed: readonly Role[] = ['owner', 'developer', 'read_only'],
  what = 'organisation',
): Promise<Role> {
  const role = await roleIn(on, organisationId, accountId);
  const caller = { developer: accountId };
  if (role === undefined) throw new RefusedCaller(caller, 'not_found', `there is no such ${what}`);
  if (!allowed.includes(role))
    throw new RefusedCaller(
      caller,
      'role_not_allowed',
      'the role of the account in the organisation does not allow it',
    );
  return role;
}

/** Locks an organisation until the end of a transaction: its members change one after the other. */
export async function lockOrganisation(on: PoolClient, organisationId: string): Promise<void> {
  await on.query('SELECT FROM organisation WHERE id = $1 FOR UPDATE', [organisationId]);
}

/**
 * Runs work in a transaction in which the members of an organisation stay as they are, if the account has one of these
 * roles.
 * @throws HttpError as `requireRole`
 */
export function withLockedOrganisation<T>(
  pool: Pool,
  { organisationId, accountId, allowed }: { organisationId: string; accountId: string; allowed?: readonly Role[] },
  work: (on: PoolClient) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (on) => {
    await lockOrganisation(on, organisationId);
    await requireRole(on, organisationId, accountId, allowed);
    return work(on);
  });
}

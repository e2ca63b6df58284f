import { type Api, HttpError } from '@tributary/service-kit';
import type { PoolClient } from 'pg';
import { accountEntity, apiPath, jsonBody, notFound, refusal, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { type MemberList, memberList, memberRole, ofId, ofMember, type Role } from '../schemas';
import { needsRole, organisationEntity, unknownOrganisation } from './organisation-responses';
import { requireRole, withLockedOrganisation } from './roles';

/** The members of an organisation. */
export function serveMembers(api: Api, { authentications, limits, pool }: Dependencies): void {
  const common = {
    tags: ['Organisations'],
    authentication: authentications.session,
    limits: limits.session,
  } as const;
  const one = {
    path: apiPath('organisations/{id}/members/{account_id}'),
    params: ofMember,
  } as const;
  const refusals = {
    403: needsRole,
    404: unknownOrganisation,
    409: refusal('The organisation would have no owner.', 'last_owner'),
  };

  api.route(
    {
      ...common,
      method: 'get',
      path: apiPath('organisations/{id}/members'),
      operationId: 'listMembers',
      summary: 'The members of an organisation, and its open invitations',
      audit: { none: 'an organisation of the caller, without data of patients' },
      params: ofId,
      responses: {
        200: { description: 'The members and invitations.', schema: memberList },
        403: needsRole,
        404: unknownOrganisation,
      },
    },
    async ({ principal, params: { id } }): Promise<MemberList> => {
      await requireRole(pool, id, principal.developer);
      const { rows: members } = await pool.query<MemberRow>(
        `SELECT a.id AS account_id, a.email, a.name, m.role, m.created_at AS joined_at
         FROM membership m JOIN account a ON a.id = m.account_id
         WHERE m.organisation_id = $1 ORDER BY lower(a.name), a.id`,
        [id],
      );
      const { rows: invitations } = await pool.query<InvitationRow>(
        `SELECT i.id, i.email, i.role, a.name AS invited_by, i.expires_at
         FROM invitation i JOIN account a ON a.id = i.inviter_id
         WHERE i.organisation_id = $1 AND i.expires_at > now() ORDER BY lower(i.email)`,
        [id],
      );
      return {
        entry: members.map((member) => ({ ...member, joined_at: member.joined_at.toISOString() })),
        invitations: invitations.map((each) => ({ ...each, expires_at: each.expires_at.toISOString() })),
      };
    },
  );

  api.route(
    {
      ...common,
      ...one,
      method: 'patch',
      operationId: 'changeMember',
      summary: 'Change the role of a member; owners only',
      audit: { kind: 'console.members-changed', action: 'U' },
      body: memberRole,
      bodyTypes: jsonBody,
      responses: { 200: successResponse, ...refusals },
    },
    async ({ principal, params: { id, account_id: memberId }, body: { role }, audit }) => {
      audit({ entities: [organisationEntity(id), accountEntity(memberId)] });
      const owner = { organisationId: id, accountId: principal.developer, allowed: ['owner'] as const };
      await withLockedOrganisation(pool, owner, async (on) => {
        await checkStays(on, id, memberId, role);
        await on.query('UPDATE membership SET role = $3 WHERE organisation_id = $1 AND account_id = $2', [
          id,
          memberId,
          role,
        ]);
        if (role !== 'owner') await endInvitationsOf(on, id, memberId);
      });
      return succeeded;
    },
  );

  api.route(
    {
      ...common,
      ...one,
      method: 'delete',
      operationId: 'removeMember',
      summary: 'Remove a member; owners only, except that everybody can leave',
      description: 'Open invitations by the member end, too.',
      audit: { kind: 'console.members-changed', action: 'D' },
      responses: { 200: successResponse, ...refusals },
    },
    async ({ principal: { developer }, params: { id, account_id: memberId }, audit }) => {
      audit({ entities: [organisationEntity(id), accountEntity(memberId)] });
      const asMember = { organisationId: id, accountId: developer };
      const leaves = memberId === developer;
      await withLockedOrganisation(pool, leaves ? asMember : { ...asMember, allowed: ['owner'] }, async (on) => {
        await checkStays(on, id, memberId);
        await on.query('DELETE FROM membership WHERE organisation_id = $1 AND account_id = $2', [id, memberId]);
        await endInvitationsOf(on, id, memberId);
      });
      return succeeded;
    },
  );
}

interface MemberRow {
  account_id: string;
  email: string;
  name: string;
  role: Role;
  joined_at: Date;
}

interface InvitationRow {
  id: string;
  email: string;
  role: Role;
  invited_by: string;
  expires_at: Date;
}

/**
 * Checks a change of a member, in a locked organisation.
 * @param role the new one; undefined when the member leaves
 * @throws HttpError 404 when there is no such member; 409 when the organisation would have no owner
 */
async function checkStays(on: PoolClient, organisationId: string, memberId: string, role?: Role): Promise<void> {
  const { rows } = await on.query<{ role: Role; has_other_owner: boolean }>(
    `SELECT role, EXISTS (SELECT FROM membership o JOIN account a ON a.id = o.account_id AND a.disabled_at IS NULL
       WHERE o.organisation_id = $1 AND o.role = 'owner' AND o.account_id <> $2) AS has_other_owner
     FROM membership WHERE organisation_id = $1 AND account_id = $2`,
    [organisationId, memberId],
  );
  const [member] = rows;
  if (!member) throw notFound('member');
  if (member.role === 'owner' && role !== 'owner' && !member.has_other_owner)
    throw new HttpError('last_owner', 'make another member an owner before: the organisation would have none');
}

/** Somebody who may invite no more does not come back by an own invitation. */
async function endInvitationsOf(on: PoolClient, organisationId: string, inviterId: string): Promise<void> {
  await on.query('DELETE FROM invitation WHERE organisation_id = $1 AND inviter_id = $2', [organisationId, inviterId]);
}

import { type Api, HttpError, inTransaction } from '@tributary/service-kit';
import type { PoolClient } from 'pg';
import { apiPath, foreignOrigin, jsonBody, notFound, refusal, succeeded, successResponse } from '../common-routes';
import type { Dependencies } from '../dependencies';
import {
  type Role,
  invitation as invitationSchema,
  newInvitation,
  ofId,
  ofInvitation,
  ofToken,
  readInvitation,
} from '../schemas';
import { newSecret, secretHash } from '../secrets';
import { needsRole, organisationEntity, unknownOrganisation } from './organisation-responses';
import { lockOrganisation, requireRole, withLockedOrganisation } from './roles';

/** Of members and invitations together. */
const maxMembers = 100;
const life = '7 days';

interface Opened {
  organisation_id: string;
  organisation: string;
  email: string;
  role: Role;
  invited_by: string;
  expires_at: Date;
}

const openInvitation = `
  SELECT i.organisation_id, o.name AS organisation, i.email, i.role, a.name AS invited_by, i.expires_at
  FROM invitation i JOIN organisation o ON o.id = i.organisation_id JOIN account a ON a.id = i.inviter_id
  WHERE i.token_sha256 = $1 AND i.expires_at > now() AND a.disabled_at IS NULL`;

/** Invitations to organisations, by mail. */
export function serveInvitations(api: Api, dependencies: Dependencies): void {
  const { authentications, limits, mailLimit, mails, outbox, pool } = dependencies;
  const common = {
    tags: ['Organisations'],
    authentication: authentications.session,
    limits: limits.session,
    bodyTypes: jsonBody,
  } as const;
  const ended = refusal('The invitation has ended.', 'email_link_ended');

  const find = async (token: string): Promise<Opened> => {
    const { rows } = await pool.query<Opened>(openInvitation, [secretHash(token)]);
    const [invitation] = rows;
    if (!invitation) throw invitationEnded();
    return invitation;
  };

  api.route(
    {
      ...common,
      method: 'post',
      path: apiPath('organisations/{id}/invitations'),
      operationId: 'invite',
      summary: 'Invite somebody by mail; owners only',
      description: 'It replaces an earlier invitation of the address.',
      audit: { kind: 'console.members-changed', action: 'C' },
      params: ofId,
      body: newInvitation,
      responses: {
        201: { description: 'The invitation.', schema: invitationSchema },
        403: needsRole,
        404: unknownOrganisation,
        409: refusal(
          'The address is that of a member, or there are a hundred members and invitations.',
          'already_member',
          'quota_reached',
        ),
      },
    },
    async ({ principal, params: { id }, body: { email, role }, response, audit }) => {
      audit({ entities: [organisationEntity(id)] });
      await requireRole(pool, id, principal.developer, ['owner']);
      await mailLimit.takeInvitation(principal.developer, id, email);
      const invitation = await outbox.transaction(async (on, send) => {
        await lockOrganisation(on, id);
        await requireRole(on, id, principal.developer, ['owner']);
        await checkInvitable(on, id, email);
        const token = newSecret();
        const { rows } = await on.query<{ id: string; expires_at: Date; organisation: string }>(
          `INSERT INTO invitation (organisation_id, email, role, token_sha256, inviter_id, expires_at)
           VALUES ($1, $2, $3, $4, $5, now() + interval '${life}')
           ON CONFLICT (organisation_id, lower(email)) DO UPDATE SET email = excluded.email, role = excluded.role,
             token_sha256 = excluded.token_sha256, inviter_id = excluded.inviter_id, expires_at = excluded.expires_at
           RETURNING id, expires_at, (SELECT name FROM organisation WHERE id = $1) AS organisation`,
          [id, email, role, secretHash(token), principal.developer],
        );
        const [row] = rows;
        if (!row) throw new Error('an invitation was not stored');
        await send(mails.invitation(email, { organisation: row.organisation, inviter: principal.name, token }));
        return row;
      });
      response.status(201);
      return {
        id: invitation.id,
        email,
        role,
        invited_by: principal.name,
        expires_at: invitation.expires_at.toISOString(),
      };
    },
  );

  api.route(
    {
      ...common,
      method: 'delete',
      path: apiPath('organisations/{id}/invitations/{invitation_id}'),
      operationId: 'withdrawInvitation',
      summary: 'Withdraw an invitation; owners only',
      audit: { kind: 'console.members-changed', action: 'D' },
      params: ofInvitation,
      responses: { 200: successResponse, 403: needsRole, 404: unknownOrganisation },
    },
    async ({ principal, params: { id, invitation_id: invitationId }, audit }) => {
      audit({ entities: [organisationEntity(id), { type: 'Invitation', id: invitationId }] });
      const owner = { organisationId: id, accountId: principal.developer, allowed: ['owner'] as const };
      await withLockedOrganisation(pool, owner, async (on) => {
        const { rowCount } = await on.query('DELETE FROM invitation WHERE id = $1 AND organisation_id = $2', [
          invitationId,
          id,
        ]);
        if (rowCount === 0) throw notFound('invitation');
      });
      return succeeded;
    },
  );

  api.route(
    {
      ...common,
      method: 'post',
      path: apiPath('invitations/read'),
      operationId: 'readInvitation',
      summary: 'An invitation by the token of the mail, before it is accepted',
      audit: { none: 'shown to who has received the mail; the acceptance is recorded' },
      authentication: authentications.anonymous,
      limits: limits.anonymous,
      body: ofToken,
      responses: {
        200: { description: 'The invitation.', schema: readInvitation },
        403: foreignOrigin,
        410: ended,
      },
    },
    async ({ body: { token } }) => {
      const { organisation, email, role, invited_by, expires_at } = await find(token);
      return { organisation, email, role, invited_by, expires_at: expires_at.toISOString() };
    },
  );

  api.route(
    {
      ...common,
      method: 'post',
      path: apiPath('invitations/accept'),
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation to the address of the account',
      audit: { kind: 'console.members-changed', action: 'C' },
      body: ofToken,
      responses: {
        200: successResponse,
        403: refusal(
          'The invitation is for another address, or the session has a password only.',
          'invitation_of_another',
          'second_factor_required',
          'invalid_origin',
        ),
        409: refusal('The account is a member already.', 'already_member'),
        410: ended,
      },
    },
    async ({ principal, body: { token }, audit }) => {
      const { developer, email } = principal;
      const invitation = await find(token);
      const { organisation_id: id } = invitation;
      audit({ entities: [organisationEntity(id)] });
      if (invitation.email.toLowerCase() !== email.toLowerCase())
        throw new HttpError('invitation_of_another', 'the invitation is for another e-mail address');
      await inTransaction(pool, async (on) => {
        await lockOrganisation(on, id);
        const { rows } = await on.query<{ role: Role }>(
          'DELETE FROM invitation WHERE token_sha256 = $1 AND expires_at > now() RETURNING role',
          [secretHash(token)],
        );
        const [taken] = rows;
        if (!taken) throw invitationEnded();
        const { rowCount } = await on.query(
          `INSERT INTO membership (organisation_id, account_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
          [id, developer, taken.role],
        );
        if (rowCount === 0) throw alreadyMember();
      });
      return succeeded;
    },
  );
}

/** @throws HttpError 409 */
async function checkInvitable(on: PoolClient, organisationId: string, email: string): Promise<void> {
  const { rows } = await on.query<{ is_member: boolean; total: number }>(
    `SELECT EXISTS (SELECT FROM membership m JOIN account a ON a.id = m.account_id
         WHERE m.organisation_id = $1 AND lower(a.email) = lower($2)) AS is_member,
       (SELECT count(*)::int FROM membership WHERE organisation_id = $1)
         + (SELECT count(*)::int FROM invitation
            WHERE organisation_id = $1 AND lower(email) <> lower($2) AND expires_at > now()) AS total`,
    [organisationId, email],
  );
  const [{ is_member: isMember, total } = { is_member: false, total: 0 }] = rows;
  if (isMember) throw alreadyMember();
  if (total >= maxMembers)
    throw new HttpError('quota_reached', `an organisation has at most ${maxMembers} members and invitations`);
}

function alreadyMember(): HttpError {
  return new HttpError('already_member', 'the account is a member of the organisation already');
}

function invitationEnded(): HttpError {
  return new HttpError('email_link_ended', 'the invitation was accepted or withdrawn, has expired, or was replaced');
}

import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Account, Invitation, Member, Role } from '../api/answers';
import { keys, refresh, useMembers } from '../api/queries';
import { call } from '../api/request';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { CancelButton, Confirm, DialogBox, Panel } from '../components/dialogs';
import { ChoiceField, Field } from '../components/field';
import { Form, textOf } from '../components/form';
import { Page } from '../components/page';
import { useToast } from '../components/toasts';
import { useSignedIn } from '../layout/account-context';
import { countText, dateText } from '../text';
import { OfMembership } from './membership';
import { roleMeanings, roleNames } from './roles';

export function Members(): ReactNode {
  return (
    <OfMembership>{(organisation) => <MembersOf key={organisation.id} organisation={organisation} />}</OfMembership>
  );
}

function MembersOf({ organisation }: { organisation: Account['organisations'][number] }): ReactNode {
  const members = useMembers(organisation.id);
  const [parameters, setParameters] = useSearchParams();
  const [isInviting, setInviting] = useState(false);
  const [withdrawn, setWithdrawn] = useState<Invitation>();
  const tell = useToast();
  const isOwner = organisation.role === 'owner';
  const path = `organisations/${organisation.id}`;
  const changed = (): Promise<void> => refresh(keys.members(organisation.id), keys.account);
  const opened = members.data?.entry.find((member) => member.account_id === parameters.get('member'));
  return (
    <Page
      title="Members"
      actions={
        isOwner && (
          <button type="button" className="primary" onClick={() => setInviting(true)}>
            Invite
          </button>
        )
      }
    >
      {!isOwner && (
        <p className="muted">
          Your role is {roleNames[organisation.role].toLowerCase()}. Owners invite people and change roles.
        </p>
      )}
      <Answer query={members}>
        {({ entry, invitations }) => (
          <>
            <DataTable
              caption="Members"
              rows={entry}
              keyOf={(member) => member.account_id}
              {...(isOwner && { open: (member: Member) => setParameters({ member: member.account_id }) })}
              columns={[
                { header: 'Name', cell: (member) => <NameOf member={member} /> },
                { header: 'Role', cell: ({ role }) => roleNames[role] },
                { header: 'Joined', cell: ({ joined_at: joined }) => dateText(joined), isWideOnly: true },
              ]}
            />
            <p className="muted">{countText(entry.length, 'member')}</p>
            {invitations.length > 0 && (
              <>
                <h2>Open invitations</h2>
                <DataTable
                  caption="Open invitations"
                  rows={invitations}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      header: 'E-mail address',
                      cell: ({ email, role }) => (
                        <>
                          {email}
                          <span className="second-line">{roleNames[role]}</span>
                        </>
                      ),
                    },
                    { header: 'Invited by', cell: ({ invited_by: by }) => by, isWideOnly: true },
                    { header: 'Ends', cell: ({ expires_at: end }) => dateText(end), isWideOnly: true },
                    ...(isOwner
                      ? [
                          {
                            header: 'Change',
                            cell: (invitation: Invitation) => (
                              <button type="button" className="small" onClick={() => setWithdrawn(invitation)}>
                                Withdraw<span className="hidden"> the invitation of {invitation.email}</span>
                              </button>
                            ),
                          },
                        ]
                      : []),
                  ]}
                />
              </>
            )}
          </>
        )}
      </Answer>
      {isInviting && (
        <InviteDialog
          close={() => setInviting(false)}
          invite={async (body) => {
            await call('POST', `${path}/invitations`, body);
            await changed();
            tell(`The invitation of ${body.email} is on its way.`);
          }}
        />
      )}
      {withdrawn && (
        <Confirm
          title="Withdraw the invitation?"
          action="Withdraw"
          close={() => setWithdrawn(undefined)}
          confirm={async () => {
            await call('DELETE', `${path}/invitations/${withdrawn.id}`);
            await changed();
            tell('The invitation is withdrawn.');
          }}
        >
          <p>The link that {withdrawn.email} got no longer works.</p>
        </Confirm>
      )}
      {opened && isOwner && (
        <MemberPanel
          member={opened}
          isOnlyOwner={
            opened.role === 'owner' && members.data?.entry.filter(({ role }) => role === 'owner').length === 1
          }
          path={`${path}/members/${opened.account_id}`}
          changed={changed}
          close={() => setParameters({})}
        />
      )}
    </Page>
  );
}

function NameOf({ member }: { member: Member }): ReactNode {
  const account = useSignedIn();
  return (
    <>
      {member.name}
      {member.account_id === account.id && ' (you)'}
      <span className="second-line">{member.email}</span>
    </>
  );
}

const roleOptions = (['owner', 'developer', 'read_only'] as const).map((role) => ({
  value: role,
  text: roleNames[role],
  hint: roleMeanings[role],
}));

interface InviteProps {
  close: () => void;
  invite: (body: { email: string; role: Role }) => Promise<void>;
}

function InviteDialog({ close, invite }: InviteProps): ReactNode {
  const submit = async (data: FormData): Promise<void> => {
    await invite({ email: textOf(data, 'email'), role: textOf(data, 'role') as Role });
    close();
  };
  return (
    <DialogBox title="Invite a member" close={close}>
      <Form
        submit={submit}
        action="Send invitation"
        fieldOf={{ already_member: 'email' }}
        more={<CancelButton close={close} />}
      >
        <Field name="email" label="E-mail address" type="email" autoComplete="off" maxLength={254} autoFocus required />
        <ChoiceField name="role" label="Role" options={roleOptions} defaultValue="developer" />
      </Form>
    </DialogBox>
  );
}

interface MemberPanelProps {
  member: Member;
  isOnlyOwner: boolean;
  /** Of the API. */
  path: string;
  changed: () => Promise<void>;
  close: () => void;
}

function MemberPanel({ member, isOnlyOwner, path, changed, close }: MemberPanelProps): ReactNode {
  const tell = useToast();
  const account = useSignedIn();
  const [isRemoving, setRemoving] = useState(false);
  const save = async (data: FormData): Promise<void> => {
    await call('PATCH', path, { role: data.get('role') });
    await changed();
    tell(`The role of ${member.name} is saved.`);
  };
  return (
    <Panel title={member.name} close={close}>
      <dl className="facts">
        <dt>E-mail address</dt>
        <dd>{member.email}</dd>
        <dt>Joined</dt>
        <dd>{dateText(member.joined_at)}</dd>
      </dl>
      {isOnlyOwner ? (
        <p>
          This is the only owner of the organisation. Make another member an owner first, to change the role or to
          remove this one.
        </p>
      ) : (
        <>
          <Form submit={save} action="Save role" fieldOf={{ last_owner: 'role' }}>
            <ChoiceField name="role" label="Role" options={roleOptions} defaultValue={member.role} />
          </Form>
          {member.account_id !== account.id && (
            <div className="panel-end">
              <button type="button" className="danger" onClick={() => setRemoving(true)}>
                Remove from the organisation…
              </button>
            </div>
          )}
        </>
      )}
      {isRemoving && (
        <Confirm
          title={`Remove ${member.name}?`}
          action="Remove"
          close={() => setRemoving(false)}
          confirm={async () => {
            await call('DELETE', path);
            await changed();
            tell(`${member.name} is removed.`);
            close();
          }}
        >
          <p>
            {member.email} loses access at once. Invitations by this member end as well. Secrets that this member has
            seen still work: rotate them where that matters.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

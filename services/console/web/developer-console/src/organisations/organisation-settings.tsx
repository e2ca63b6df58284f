import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Account } from '../api/answers';
import { keys, refresh, useMembers } from '../api/queries';
import { call } from '../api/request';
import { Copyable } from '../components/copy-button';
import { Confirm } from '../components/dialogs';
import { Field } from '../components/field';
import { Form, textOf } from '../components/form';
import { Page } from '../components/page';
import { useToast } from '../components/toasts';
import { useSignedIn } from '../layout/account-context';
import { OfMembership } from './membership';

export function OrganisationSettings(): ReactNode {
  return (
    <OfMembership>{(organisation) => <Settings key={organisation.id} organisation={organisation} />}</OfMembership>
  );
}

function Settings({ organisation }: { organisation: Account['organisations'][number] }): ReactNode {
  const tell = useToast();
  const navigate = useNavigate();
  const account = useSignedIn();
  const members = useMembers(organisation.id);
  const [isLeaving, setLeaving] = useState(false);
  const { id, name, role } = organisation;
  const isOnlyOwner =
    role === 'owner' &&
    members.data?.entry.every((member) => member.role !== 'owner' || member.account_id === account.id);
  const rename = async (data: FormData): Promise<void> => {
    await call('PATCH', `organisations/${id}`, { name: textOf(data, 'name') });
    await refresh(keys.account);
    tell('The name is saved.');
  };
  const leave = async (): Promise<void> => {
    await call('DELETE', `organisations/${id}/members/${account.id}`);
    await refresh(keys.account);
    await navigate('/');
  };
  return (
    <Page title="Organisation settings">
      <section className="card column">
        <h2>General</h2>
        {role === 'owner' ? (
          <Form submit={rename} action="Save" kind="plain">
            <Field name="name" label="Name" defaultValue={name} maxLength={100} required />
          </Form>
        ) : (
          <p>
            {name} <span className="muted">Owners can change the name.</span>
          </p>
        )}
        <dl className="facts">
          <dt>Id</dt>
          <dd>
            <Copyable text={id} what="the id of the organisation" />
          </dd>
          <dt>Live applications</dt>
          <dd>
            {organisation.may_have_live_clients
              ? 'Allowed. They reach the records of people.'
              : 'Not allowed yet. Applications are test ones until the operator of this service has checked the organisation.'}
          </dd>
        </dl>
      </section>
      <section className="card column">
        <h2>Leave the organisation</h2>
        {isOnlyOwner ? (
          <p>You are the only owner. Make another member an owner first: an organisation always has one.</p>
        ) : (
          <>
            <p>You no longer see its applications and members. An owner can invite you again.</p>
            <button type="button" className="danger" onClick={() => setLeaving(true)}>
              Leave…
            </button>
          </>
        )}
      </section>
      {isLeaving && (
        <Confirm title={`Leave ${name}?`} action="Leave" name={name} confirm={leave} close={() => setLeaving(false)}>
          <p>You can come back by a new invitation only.</p>
        </Confirm>
      )}
    </Page>
  );
}

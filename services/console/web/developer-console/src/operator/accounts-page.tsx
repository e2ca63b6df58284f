import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { OperatedAccount } from '../api/answers';
import { Copyable } from '../components/copy-button';
import { quoted } from '../components/curl';
import { Panel } from '../components/dialogs';
import { Status } from '../components/status';
import { useSignedIn } from '../layout/account-context';
import { roleNames } from '../organisations/roles';
import { dateText, timeText } from '../text';
import { ChangeButton } from './change-button';
import { ClientsLayout } from './clients-layout';
import { ByCommand, SearchList } from './search-list';

/** All accounts of developers. */
export function OperatorAccounts(): ReactNode {
  return (
    <ClientsLayout>
      <SearchList<OperatedAccount>
        caption="Accounts"
        noun="account"
        path="accounts"
        searched="Find by name, e-mail address or id"
        keyOf={({ id }) => id}
        columns={[
          {
            header: 'Name',
            cell: ({ name, email }) => (
              <>
                {name}
                <span className="second-line">{email}</span>
              </>
            ),
          },
          { header: 'State', cell: (account) => <State account={account} /> },
          {
            header: 'Operator',
            cell: ({ operator_since: since }) => (since === null ? 'No' : 'Yes'),
            isWideOnly: true,
          },
          { header: 'Since', cell: ({ created_at: at }) => dateText(at), isWideOnly: true },
        ]}
        command="account list"
        panel={(id, account, close) => (
          <Panel key={id} title={account?.name ?? 'Account'} close={close}>
            {account ? <Details account={account} /> : <p>The list does not show this account. Search for its id.</p>}
          </Panel>
        )}
      />
    </ClientsLayout>
  );
}

function State({ account }: { account: OperatedAccount }): ReactNode {
  if (account.disabled_at !== null) return <Status kind="off">Disabled</Status>;
  if (account.verified_at === null) return <Status kind="waiting">Not verified</Status>;
  return <Status kind="good">Active</Status>;
}

function Details({ account }: { account: OperatedAccount }): ReactNode {
  const own = useSignedIn();
  const { id, email, operator_since: since } = account;
  const path = `accounts/${id}`;
  return (
    <>
      <dl className="facts">
        <dt>E-mail address</dt>
        <dd>{email}</dd>
        <dt>id</dt>
        <dd>
          <Copyable text={id} what="id" />
        </dd>
        <dt>State</dt>
        <dd>
          <State account={account} />
          {account.disabled_at !== null && <p className="muted">Disabled since {timeText(account.disabled_at)}.</p>}
        </dd>
        <dt>Since</dt>
        <dd>{timeText(account.created_at)}</dd>
        <dt>Operator</dt>
        <dd>{since === null ? 'No' : `Since ${timeText(since)}`}</dd>
        <dt>Organisations</dt>
        <dd>
          {account.organisations.length === 0 ? (
            'None'
          ) : (
            <ul>
              {account.organisations.map((organisation) => (
                <li key={organisation.id}>
                  <Link
                    to={`/operator/clients/organisations?${new URLSearchParams({ open: organisation.id }).toString()}`}
                  >
                    {organisation.name}
                  </Link>
                  , {roleNames[organisation.role].toLowerCase()}
                </li>
              ))}
            </ul>
          )}
        </dd>
      </dl>
      <p className="muted">Who is an operator, and lost second factors, are changed by command only.</p>
      <ByCommand
        command={`account ${since === null ? 'make-operator' : 'remove-operator'} --email ${quoted(email)}`}
        what={since === null ? 'make the developer an operator' : 'take the pages of operators from the developer'}
      />
      {id !== own.id && (
        <div className="panel-end">
          <div className="button-row">
            {account.disabled_at === null ? (
              <ChangeButton
                action="Disable"
                title={`Disable the account of ${account.name}?`}
                isDanger
                path={path}
                body={{ disabled: true }}
                done={`The account of ${account.name} is disabled.`}
              >
                <p>Its sessions end at once, its invitations are taken back, and nobody can sign in with it.</p>
              </ChangeButton>
            ) : (
              <ChangeButton
                action="Enable"
                title={`Enable the account of ${account.name}?`}
                path={path}
                body={{ disabled: false }}
                done={`The account of ${account.name} is enabled.`}
              >
                <p>The developer can sign in again, with the same password and second factors.</p>
              </ChangeButton>
            )}
          </div>
        </div>
      )}
    </>
  );
}

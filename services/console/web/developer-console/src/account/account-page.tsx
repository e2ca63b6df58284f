import { type ReactNode, useState } from 'react';
import type { Account, NewRecoveryCodes, SessionList } from '../api/answers';
import { keys, refresh, useSessions } from '../api/queries';
import { call } from '../api/request';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { CancelButton, Confirm, DialogBox } from '../components/dialogs';
import { Field, PasswordField } from '../components/field';
import { Form, textOf } from '../components/form';
import { NewPasskey, NewTotp } from '../components/new-factors';
import { Failure, Notice } from '../components/notice';
import { Page } from '../components/page';
import { RecoveryCodes } from '../components/recovery-codes';
import { useToast } from '../components/toasts';
import { useConfirmed } from '../layout/confirmed';
import { useSignedIn } from '../layout/account-context';
import { dateText, timeText } from '../text';

/** The own account. */
export function AccountPage(): ReactNode {
  const account = useSignedIn();
  return (
    <Page title="Account settings">
      <NameSection account={account} />
      <FactorsSection account={account} />
      <PasswordSection />
      <SessionsSection />
    </Page>
  );
}

function NameSection({ account }: { account: Account }): ReactNode {
  const tell = useToast();
  const save = async (data: FormData): Promise<void> => {
    await call('PATCH', 'account', { name: textOf(data, 'name') });
    await refresh(keys.account);
    tell('Your name is saved.');
  };
  return (
    <section className="card column">
      <h2>Profile</h2>
      <dl className="facts">
        <dt>E-mail address</dt>
        <dd>{account.email}</dd>
      </dl>
      <Form submit={save} action="Save" kind="plain">
        <Field name="name" label="Name" defaultValue={account.name} maxLength={100} autoComplete="name" required />
      </Form>
    </section>
  );
}

function PasswordSection(): ReactNode {
  const tell = useToast();
  const { email } = useSignedIn();
  const [generation, setGeneration] = useState(0);
  const save = async (data: FormData): Promise<void> => {
    await call('POST', 'account/password', {
      current_password: data.get('current_password'),
      new_password: data.get('new_password'),
    });
    await refresh(keys.sessions);
    setGeneration(generation + 1);
    tell('Your password is changed. All other sessions have ended.');
  };
  return (
    <section className="card column">
      <h2>Password</h2>
      <p>Changing it ends all of your other sessions.</p>
      <Form
        key={generation}
        submit={save}
        action="Change password"
        kind="plain"
        fieldOf={{ wrong_password: 'current_password', weak_password: 'new_password' }}
      >
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField name="current_password" label="Current password" />
        <PasswordField name="new_password" label="New password" isNew hint="At least 12 characters." />
      </Form>
    </section>
  );
}

type Opened =
  | 'totp'
  | 'passkey'
  | 'codes'
  | { removed: 'totp' }
  | { removed: Account['second_factors']['passkeys'][number] };

function FactorsSection({ account }: { account: Account }): ReactNode {
  const tell = useToast();
  const confirmed = useConfirmed();
  const [opened, setOpened] = useState<Opened>();
  const { totp, passkeys, recovery_codes_left: codesLeft } = account.second_factors;
  const isOnly = passkeys.length + (totp ? 1 : 0) === 1;
  const close = (): void => setOpened(undefined);
  const added = async (): Promise<void> => {
    await refresh(keys.account);
    close();
    tell('The second factor is added.');
  };
  const remove = async (path: string): Promise<void> => {
    await confirmed(() => call('DELETE', path));
    await refresh(keys.account);
    tell('The second factor is removed.');
  };
  return (
    <section className="card column">
      <h2>Second factors</h2>
      <p>You need one of them each time you sign in. Two are better: one can be lost.</p>
      <ul className="rows">
        <li>
          <div>
            <strong>Authenticator app</strong>
            <span className="muted">{totp ? `Added on ${dateText(totp.added_at)}` : 'Not set up'}</span>
          </div>
          <div className="button-row">
            <button type="button" className="small" onClick={() => setOpened('totp')}>
              {totp ? 'Replace…' : 'Set up…'}
            </button>
            {totp && !isOnly && (
              <button type="button" className="small danger" onClick={() => setOpened({ removed: 'totp' })}>
                Remove…<span className="hidden"> the authenticator app</span>
              </button>
            )}
          </div>
        </li>
        {passkeys.map((passkey) => (
          <li key={passkey.id}>
            <div>
              <strong>{passkey.name}</strong>
              <span className="muted">
                Passkey, added on {dateText(passkey.created_at)}
                {passkey.last_used_at === null ? ', not used yet' : `, last used on ${dateText(passkey.last_used_at)}`}
              </span>
            </div>
            {!isOnly && (
              <button type="button" className="small danger" onClick={() => setOpened({ removed: passkey })}>
                Remove…<span className="hidden"> the passkey {passkey.name}</span>
              </button>
            )}
          </li>
        ))}
        <li>
          <div>
            <strong>Recovery codes</strong>
            <span className="muted">{codesLeft} left. Each works once in place of a second factor.</span>
          </div>
          <button type="button" className="small" onClick={() => setOpened('codes')}>
            Replace…<span className="hidden"> the recovery codes</span>
          </button>
        </li>
      </ul>
      {codesLeft <= 2 && <Notice kind="warning">Few recovery codes are left. Replace them with new ones.</Notice>}
      {isOnly && <p className="muted">The last second factor cannot be removed. Add another one first.</p>}
      <button type="button" onClick={() => setOpened('passkey')}>
        Add a passkey…
      </button>
      {opened === 'totp' && (
        <DialogBox title={totp ? 'Replace the authenticator app' : 'Set up an authenticator app'} close={close}>
          <NewTotp confirmed={confirmed} done={added} more={<CancelButton close={close} />} />
        </DialogBox>
      )}
      {opened === 'passkey' && (
        <DialogBox title="Add a passkey" close={close}>
          <NewPasskey confirmed={confirmed} done={added} more={<CancelButton close={close} />} />
        </DialogBox>
      )}
      {opened === 'codes' && <NewCodes close={close} />}
      {typeof opened === 'object' && (
        <Confirm
          title={
            opened.removed === 'totp' ? 'Remove the authenticator app?' : `Remove the passkey ${opened.removed.name}?`
          }
          action="Remove"
          close={close}
          confirm={() => remove(opened.removed === 'totp' ? 'account/totp' : `account/passkeys/${opened.removed.id}`)}
        >
          <p>You can no longer sign in with it.</p>
        </Confirm>
      )}
    </section>
  );
}

function NewCodes({ close }: { close: () => void }): ReactNode {
  const confirmed = useConfirmed();
  const [codes, setCodes] = useState<string[]>();
  const replace = async (): Promise<void> => {
    const answer = await confirmed(() => call<NewRecoveryCodes>('POST', 'account/recovery-codes'));
    setCodes(answer.recovery_codes);
    await refresh(keys.account);
  };
  return (
    <DialogBox
      title={codes ? 'Recovery codes' : 'Replace the recovery codes'}
      close={close}
      isOnce={codes !== undefined}
    >
      {codes ? (
        <RecoveryCodes codes={codes} kept={close} />
      ) : (
        <>
          <p>You get new codes. The present ones no longer work.</p>
          <Form submit={replace} action="Replace the codes" more={<CancelButton close={close} />} />
        </>
      )}
    </DialogBox>
  );
}

type Session = SessionList['entry'][number];

function SessionsSection(): ReactNode {
  const tell = useToast();
  const sessions = useSessions();
  const [failure, setFailure] = useState<unknown>();
  const end = async ({ id }: Session): Promise<void> => {
    setFailure(undefined);
    try {
      await call('DELETE', `account/sessions/${id}`);
      await refresh(keys.sessions);
      tell('The session has ended.');
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <section className="card column">
      <h2>Sessions</h2>
      <p>The browsers in which you are signed in. End those that you do not know, and change your password.</p>
      {failure !== undefined && <Failure error={failure} />}
      <Answer query={sessions}>
        {({ entry }) => (
          <DataTable
            caption="Sessions"
            rows={entry}
            keyOf={({ id }) => id}
            columns={[
              { header: 'Browser', cell: ({ browser }) => browser },
              { header: 'IP address', cell: ({ address }) => address, isWideOnly: true },
              { header: 'Last used', cell: ({ last_used_at: used }) => timeText(used), isWideOnly: true },
              {
                header: 'Session',
                cell: (session) =>
                  session.current ? (
                    'This one'
                  ) : (
                    <button type="button" className="small" onClick={() => void end(session)}>
                      End<span className="hidden"> the session of {session.browser}</span>
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Answer>
    </section>
  );
}

import { type ReactNode, useState } from 'react';
import { Navigate, useNavigate } from 'react-router';
import { queryClient, useAccount } from '../api/queries';
import { hasCode } from '../api/request';
import { NewPasskey, NewTotp } from '../components/new-factors';
import { Page } from '../components/page';
import { RecoveryCodes } from '../components/recovery-codes';
import { useNext } from './way';

const titles = {
  none: 'Set up a second factor',
  totp: 'Set up an authenticator app',
  passkey: 'Add a passkey',
};

/** The first second factor of an account, which every account needs. */
export function Enrol(): ReactNode {
  const navigate = useNavigate();
  const { next, query } = useNext();
  const account = useAccount();
  const [kind, setKind] = useState<'totp' | 'passkey'>();
  const [codes, setCodes] = useState<string[]>();
  if (codes !== undefined)
    return (
      <Page title="Recovery codes">
        <RecoveryCodes
          codes={codes}
          kept={() => {
            queryClient.clear();
            void navigate(next, { replace: true });
          }}
        />
      </Page>
    );
  if (hasCode(account.error, 'not_signed_in')) return <Navigate to={`/sign-in${query}`} replace />;
  const factors = account.data?.second_factors;
  if (factors && (factors.totp !== null || factors.passkeys.length > 0))
    return <Navigate to={`/sign-in/second-factor${query}`} replace />;
  const common = {
    confirmed: <Result,>(action: () => Promise<Result>) => action(),
    done: (added: string[] | undefined) => setCodes(added ?? []),
    more: (
      <button type="button" onClick={() => setKind(undefined)}>
        Back
      </button>
    ),
  };
  return (
    <Page title={titles[kind ?? 'none']}>
      {kind === undefined && (
        <>
          <p>Every account needs one beside its password, because applications reach the records of patients.</p>
          <div className="card">
            <h2>Authenticator app</h2>
            <p>An app on your phone or in your password manager shows a new code every 30 seconds.</p>
            <button type="button" onClick={() => setKind('totp')}>
              Use an authenticator app
            </button>
          </div>
          <div className="card">
            <h2>Passkey</h2>
            <p>Your device or a security key signs you in by fingerprint, face or PIN. It cannot be phished.</p>
            <button type="button" onClick={() => setKind('passkey')}>
              Use a passkey
            </button>
          </div>
        </>
      )}
      {kind === 'totp' && <NewTotp {...common} />}
      {kind === 'passkey' && <NewPasskey {...common} />}
    </Page>
  );
}

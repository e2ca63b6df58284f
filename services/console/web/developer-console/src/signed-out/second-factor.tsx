import type { ReactNode } from 'react';
import { Link, Navigate, useNavigate } from 'react-router';
import { queryClient, useAccount } from '../api/queries';
import { hasCode } from '../api/request';
import { Answer } from '../components/answer';
import { Page } from '../components/page';
import { SecondFactorForm } from '../components/second-factor-form';
import { useNext } from './way';

/** The second step of signing in. */
export function SecondFactor(): ReactNode {
  const navigate = useNavigate();
  const { next, query } = useNext();
  const account = useAccount();
  if (hasCode(account.error, 'not_signed_in')) return <Navigate to={`/sign-in${query}`} replace />;
  return (
    <Page title="Second factor">
      <Answer query={account}>
        {({ email, second_factors: factors }) =>
          factors.totp === null && factors.passkeys.length === 0 ? (
            <Navigate to={`/sign-in/new-second-factor${query}`} replace />
          ) : (
            <>
              <p>
                Signing in as <strong>{email}</strong>.
              </p>
              <SecondFactorForm
                factors={factors}
                done={async () => {
                  queryClient.clear();
                  await navigate(next, { replace: true });
                }}
              />
              <p className="aside">
                Lost all of them? Ask the operator of this service.{' '}
                <Link to={`/sign-in${query}`}>Sign in as another person</Link>
              </p>
            </>
          )
        }
      </Answer>
    </Page>
  );
}

import { type ReactNode, Suspense, useEffect } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { refresh, keys, useAccount } from '../api/queries';
import { hasCode, session } from '../api/request';
import { Failure } from '../components/notice';
import { Skeleton } from '../components/answer';
import { Toasts } from '../components/toasts';
import { AccountContext } from './account-context';
import { ConfirmedProvider } from './confirmed';
import { IdleNotice } from './idle-notice';
import { Frame } from './frame';

/** The pages for which somebody is signed in; without that, the way to sign in and back to the same address. */
export function SignedIn(): ReactNode {
  const account = useAccount();
  const { pathname, search } = useLocation();
  useEffect(() => {
    const readAgain = (): void => void refresh(keys.account);
    session.addEventListener('change', readAgain);
    return () => session.removeEventListener('change', readAgain);
  }, []);
  const query = pathname === '/' ? '' : `?${new URLSearchParams({ next: pathname + search }).toString()}`;
  if (hasCode(account.error, 'not_signed_in')) return <Navigate to={`/sign-in${query}`} replace />;
  if (account.data === undefined)
    return (
      <main className="narrow">
        {account.error ? (
          <Failure error={account.error} retry={() => void account.refetch()} />
        ) : (
          <Skeleton lines={6} />
        )}
      </main>
    );
  if (account.data.session.level === 'password') return <Navigate to={`/sign-in/second-factor${query}`} replace />;
  return (
    <AccountContext value={account.data}>
      <Toasts>
        <ConfirmedProvider>
          <Frame>
            <Suspense>
              <Outlet />
            </Suspense>
          </Frame>
          <IdleNotice endsAt={account.data.session.ends_at} />
        </ConfirmedProvider>
      </Toasts>
    </AccountContext>
  );
}

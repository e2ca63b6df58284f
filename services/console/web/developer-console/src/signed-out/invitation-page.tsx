import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { OpenedInvitation } from '../api/answers';
import { queryClient, useAccount } from '../api/queries';
import { call, hasCode } from '../api/request';
import { Answer } from '../components/answer';
import { Form } from '../components/form';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { roleNames } from '../organisations/roles';
import { dateText } from '../text';
import { mailToken } from './way';

/** The token is kept while the invited person signs in. */
const key = 'console-invitation';

function keptToken(): string | undefined {
  if (mailToken !== undefined) sessionStorage.setItem(key, mailToken);
  return sessionStorage.getItem(key) ?? undefined;
}

/** What a person is invited to, and accepting it. */
export function InvitationPage(): ReactNode {
  const navigate = useNavigate();
  const [token] = useState(keptToken);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call<OpenedInvitation>('POST', 'invitations/read', { token }),
    enabled: token !== undefined,
  });
  const account = useAccount();
  if (token === undefined || hasCode(invitation.error, 'email_link_ended'))
    return (
      <Page title="Invitation">
        <Notice kind="warning">
          This invitation has ended: it was accepted or withdrawn, has expired, or was replaced by a newer one. Ask for
          another one, or open the newest mail.
        </Notice>
        <Link to="/">To the console</Link>
      </Page>
    );
  const accept = async (): Promise<void> => {
    await call('POST', 'invitations/accept', { token });
    sessionStorage.removeItem(key);
    queryClient.clear();
    await navigate('/');
  };
  return (
    <Page title="Invitation">
      <Answer query={invitation}>
        {({ organisation, email, role, invited_by: inviter, expires_at: end }) => (
          <>
            <p>
              <strong>{inviter}</strong> invites you to the organisation <strong>{organisation}</strong>, with the role{' '}
              <strong>{roleNames[role]}</strong>. The invitation is for {email} and works until {dateText(end)}.
            </p>
            {account.data?.session.level === 'second_factor' ? (
              account.data.email.toLowerCase() === email.toLowerCase() ? (
                <Form submit={accept} action="Accept" more={<Link to="/">Not now</Link>} />
              ) : (
                <>
                  <Notice kind="warning">
                    You are signed in as {account.data.email}. Sign in with the address of the invitation.
                  </Notice>
                  <SignInLinks />
                </>
              )
            ) : (
              <>
                <p>
                  Sign in with this address to accept. If it has no account yet, create one, and then open the link of
                  the invitation again.
                </p>
                <SignInLinks />
              </>
            )}
          </>
        )}
      </Answer>
    </Page>
  );
}

function SignInLinks(): ReactNode {
  return (
    <div className="actions">
      <Link className="primary" to="/sign-in?next=/invitation">
        Sign in
      </Link>
      <Link to="/sign-up">Create an account</Link>
    </div>
  );
}

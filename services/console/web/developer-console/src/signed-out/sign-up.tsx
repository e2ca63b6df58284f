import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { PasswordAccepted } from '../api/answers';
import { queryClient } from '../api/queries';
import { call } from '../api/request';
import { Field, PasswordField } from '../components/field';
import { Form, textOf } from '../components/form';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { facts } from '../facts';
import { EndedLink } from './ended-link';
import { afterPassword, mailToken } from './way';

export function SignUp(): ReactNode {
  const [email, setEmail] = useState<string>();
  const submit = async (data: FormData): Promise<void> => {
    const address = textOf(data, 'email');
    await call('POST', 'sign-up', { email: address, name: textOf(data, 'name'), password: data.get('password') });
    setEmail(address);
  };
  if (email !== undefined)
    return (
      <CheckMail title="Check your mail" email={email} path="verify-email/resend">
        We have sent a link to <strong>{email}</strong>. Open it within 24 hours to verify the address.
      </CheckMail>
    );
  return (
    <Page title="Create an account">
      <Form submit={submit} action="Create account" fieldOf={{ weak_password: 'password' }}>
        <Field
          name="name"
          label="Name"
          autoComplete="name"
          maxLength={100}
          required
          hint="Other members of your organisation see it."
        />
        <Field name="email" label="E-mail address" type="email" autoComplete="username" maxLength={254} required />
        <PasswordField
          name="password"
          label="Password"
          isNew
          hint="At least 12 characters. A few random words make a good one."
        />
      </Form>
      <p className="aside">
        You have an account? <Link to="/sign-in">Sign in</Link>
      </p>
    </Page>
  );
}

export interface CheckMailProps {
  title: string;
  email: string;
  /** Of the API, which sends the mail again. */
  path: 'verify-email/resend' | 'forgot-password';
  children: ReactNode;
}

/** After a request whose answer comes by mail. */
export function CheckMail({ title, email, path, children }: CheckMailProps): ReactNode {
  const [isSent, setSent] = useState(false);
  return (
    <Page title={title}>
      <p>{children}</p>
      {facts.mail_url === undefined ? (
        <p className="muted">No mail after a few minutes? Look in the spam folder, or have it sent again.</p>
      ) : (
        <p>
          This is a sandbox, which sends no mail to others. <a href={facts.mail_url}>Read its mail</a>
        </p>
      )}
      {isSent && <Notice kind="good">If the address is to get a mail, it is on its way.</Notice>}
      <Form
        submit={async () => {
          await call('POST', path, { email });
          setSent(true);
        }}
        action="Send it again"
        more={<Link to="/sign-in">Sign in</Link>}
      />
    </Page>
  );
}

/** Asks for the password: somebody else may have signed up in the name of the address. */
export function VerifyEmail(): ReactNode {
  const navigate = useNavigate();
  return (
    <Page title="Verify your address">
      <EndedLink token={mailToken} purpose="verify-email/resend">
        {(report) => (
          <>
            <p>
              Enter the password with which you have signed up. If you have not signed up yourself, close this page:
              nobody can use the account.
            </p>
            <Form
              submit={async (data) => {
                const verification = { token: mailToken, password: data.get('password') };
                const { next } = await report(call<PasswordAccepted>('POST', 'verify-email', verification));
                queryClient.clear();
                await navigate(afterPassword(next), { replace: true });
              }}
              action="Verify the address"
              fieldOf={{ invalid_credentials: 'password' }}
            >
              <PasswordField name="password" label="Password" />
            </Form>
          </>
        )}
      </EndedLink>
    </Page>
  );
}

import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { call } from '../api/request';
import { Field, PasswordField } from '../components/field';
import { Form, textOf } from '../components/form';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { EndedLink } from './ended-link';
import { mailToken } from './way';

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
        We have sent a link to <strong>{email}</strong>. Open it within 24 hours to verify the address, then sign in.
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
      <p className="muted">No mail after a few minutes? Look in the spam folder, or have it sent again.</p>
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

/** A button, because programs that check mails open links as well. */
export function VerifyEmail(): ReactNode {
  const [isVerified, setVerified] = useState(false);
  if (isVerified)
    return (
      <Page title="Your address is verified">
        <p>Sign in now. You will then set up a second factor.</p>
        <div className="actions">
          <Link className="primary" to="/sign-in">
            Sign in
          </Link>
        </div>
      </Page>
    );
  return (
    <Page title="Verify your address">
      <EndedLink token={mailToken} purpose="verify-email/resend">
        {(report) => (
          <>
            <p>This confirms that the mail has reached you.</p>
            <Form
              submit={async () => {
                await report(call('POST', 'verify-email', { token: mailToken }));
                setVerified(true);
              }}
              action="Verify the address"
            />
          </>
        )}
      </EndedLink>
    </Page>
  );
}

import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { call } from '../api/request';
import { Field, PasswordField } from '../components/field';
import { Form, textOf } from '../components/form';
import { Page } from '../components/page';
import { EndedLink } from './ended-link';
import { CheckMail } from './sign-up';
import { mailToken } from './way';

export function ForgotPassword(): ReactNode {
  const [email, setEmail] = useState<string>();
  if (email !== undefined)
    return (
      <CheckMail title="Check your mail" email={email} path="forgot-password">
        If <strong>{email}</strong> has an account, we have sent a link to it. Open it within an hour to choose a new
        password.
      </CheckMail>
    );
  return (
    <Page title="Choose a new password">
      <p>We send a link to your address. You still need your second factor to sign in.</p>
      <Form
        submit={async (data) => {
          const address = textOf(data, 'email');
          await call('POST', 'forgot-password', { email: address });
          setEmail(address);
        }}
        action="Send the link"
        more={<Link to="/sign-in">Sign in</Link>}
      >
        <Field name="email" label="E-mail address" type="email" autoComplete="username" required />
      </Form>
    </Page>
  );
}

export function ResetPassword(): ReactNode {
  const [isSet, setSet] = useState(false);
  if (isSet)
    return (
      <Page title="Your password is changed">
        <p>All sessions of your account have ended. Sign in with the new password.</p>
        <div className="actions">
          <Link className="primary" to="/sign-in">
            Sign in
          </Link>
        </div>
      </Page>
    );
  return (
    <Page title="Choose a new password">
      <EndedLink token={mailToken} purpose="forgot-password">
        {(report) => (
          <Form
            submit={async (data) => {
              await report(
                call('POST', 'reset-password', { token: mailToken, new_password: data.get('new_password') }),
              );
              setSet(true);
            }}
            action="Change password"
            fieldOf={{ weak_password: 'new_password' }}
          >
            <PasswordField
              name="new_password"
              label="New password"
              isNew
              hint="At least 12 characters. A few random words make a good one."
            />
          </Form>
        )}
      </EndedLink>
    </Page>
  );
}

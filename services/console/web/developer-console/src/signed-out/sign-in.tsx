import type { ReactNode } from 'react';
import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import type { PasswordAccepted } from '../api/answers';
import { queryClient } from '../api/queries';
import { call, hasCode } from '../api/request';
import { Field, PasswordField } from '../components/field';
import { Form, textOf } from '../components/form';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { CheckMail } from './sign-up';
import { afterPassword, useNext } from './way';

/** The first step, which a second factor follows. */
export function SignIn(): ReactNode {
  const navigate = useNavigate();
  const { query } = useNext();
  const [parameters] = useSearchParams();
  const [unverified, setUnverified] = useState<string>();
  const submit = async (data: FormData): Promise<void> => {
    const email = textOf(data, 'email');
    try {
      const { next } = await call<PasswordAccepted>('POST', 'sign-in', { email, password: data.get('password') });
      queryClient.clear();
      await navigate(afterPassword(next) + query);
    } catch (error) {
      if (!hasCode(error, 'email_not_verified')) throw error;
      setUnverified(email);
    }
  };
  if (unverified !== undefined)
    return (
      <CheckMail title="Verify your address first" email={unverified} path="verify-email/resend">
        We sent a mail when you signed up. Open its link, then sign in. You can have it sent again.
      </CheckMail>
    );
  return (
    <Page title="Sign in">
      {parameters.get('ended') !== null && (
        <Notice>You were signed out after 15 minutes without a request. Sign in to go on where you were.</Notice>
      )}
      <Form submit={submit} action="Continue" fieldOf={{ invalid_credentials: 'password' }}>
        <Field name="email" label="E-mail address" type="email" autoComplete="username" required />
        <PasswordField name="password" label="Password" />
        <p>
          <Link to="/forgot-password">Forgotten your password?</Link>
        </p>
      </Form>
      <p className="aside">
        New here? <Link to="/sign-up">Create an account</Link>
      </p>
    </Page>
  );
}

import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { call, hasCode } from '../api/request';
import { Field } from '../components/field';
import { Form, textOf } from '../components/form';
import { Notice } from '../components/notice';

export interface EndedLinkProps {
  /** Of the mail; undefined when the address has none. */
  token: string | undefined;
  /** Of the API, which sends another mail. */
  purpose: 'verify-email/resend' | 'forgot-password';
  /** @param report passes an answer on, unless it is that the link has ended */
  children: (report: <Answer>(answer: Promise<Answer>) => Promise<Answer>) => ReactNode;
}

/** What a link of a mail leads to; when it has ended, how to get another one. */
export function EndedLink({ token, purpose, children }: EndedLinkProps): ReactNode {
  const [hasEnded, setEnded] = useState(token === undefined);
  const [isSent, setSent] = useState(false);
  const report = async <Answer,>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      if (hasCode(error, 'email_link_ended')) setEnded(true);
      throw error;
    }
  };
  if (!hasEnded) return children(report);
  if (isSent) return <Notice kind="good">If the address is to get a mail, it is on its way. Open its link.</Notice>;
  return (
    <>
      <Notice kind="warning">
        This link has ended: it was used already, has expired, or was replaced by a newer one. If you have used it, sign
        in; otherwise have another one sent.
      </Notice>
      <Form
        key="another"
        submit={async (data) => {
          await call('POST', purpose, { email: textOf(data, 'email') });
          setSent(true);
        }}
        action="Send another link"
        more={<Link to="/sign-in">Sign in</Link>}
      >
        <Field name="email" label="E-mail address" type="email" autoComplete="username" required />
      </Form>
    </>
  );
}

import type { ReactNode } from 'react';
import { Copyable } from '../components/copy-button';
import { Notice } from '../components/notice';

/** The secret of an endpoint, which is shown this once. */
export function WebhookSecret({
  secret,
  kept,
  children,
}: {
  secret: string;
  kept: () => void;
  children?: ReactNode;
}): ReactNode {
  return (
    <>
      <Notice kind="warning">
        The secret is shown only now. Your server checks with it that events come from here.
      </Notice>
      <Copyable text={secret} what="the signing secret" />
      {children}
      <div className="actions">
        <button type="button" className="primary" onClick={kept}>
          I have kept it
        </button>
      </div>
    </>
  );
}

import type { UserEntry, UserWithCode } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { asClient, usersPath } from '../api/queries';
import { call } from '../api/request';
import { CodeBlock } from '../components/code-block';
import { Copyable } from '../components/copy-button';
import { codeExchange } from '../components/curl';
import { DialogBox } from '../components/dialogs';
import { Failure, Notice } from '../components/notice';
import { useAction } from '../components/use-action';

/** A button that makes a new code of a user, and shows it once. */
export function NewCode({ clientId, user }: { clientId: string; user: UserEntry }): ReactNode {
  const { act, failure, isBusy } = useAction();
  const [code, setCode] = useState<string>();
  const make = async (): Promise<void> => {
    const path = asClient(clientId, 'base', `${usersPath}/auth-code`);
    setCode((await call<UserWithCode>('POST', path, { service_user_id: user.service_user_id })).code);
  };
  const close = (): void => setCode(undefined);
  return (
    <>
      <button type="button" aria-disabled={isBusy} onClick={() => act(make)}>
        New code…
      </button>
      {failure !== undefined && <Failure error={failure} />}
      {code !== undefined && (
        <DialogBox title="A new code" close={close} isOnce>
          <UserCode clientId={clientId} code={code} />
          <div className="actions">
            <button type="button" className="primary" onClick={close}>
              Done
            </button>
          </div>
        </DialogBox>
      )}
    </>
  );
}

/** A code of a user, which is shown this once, and how it becomes tokens. */
export function UserCode({ clientId, code }: { clientId: string; code: string }): ReactNode {
  return (
    <>
      <Notice kind="warning">
        The code is shown only now. It works once, within ten minutes: with the secret of the application it becomes the
        tokens of the user.
      </Notice>
      <p>
        <Copyable text={code} what="the code" />
      </p>
      <p>Set CLIENT_SECRET in your shell, and exchange the code for an access token and a refresh token:</p>
      <CodeBlock text={codeExchange(clientId, code)} what="the command" />
    </>
  );
}

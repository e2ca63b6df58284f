import type { UserWithCode } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { asClient, keys, refresh, usersPath } from '../api/queries';
import { call } from '../api/request';
import { AsCurl } from '../components/curl';
import { CancelButton, DialogBox } from '../components/dialogs';
import { Field } from '../components/field';
import { Form, textOf } from '../components/form';
import { useToast } from '../components/toasts';
import { ConnectLink } from './connect-link';
import { UserCode } from './user-code';

interface NewUserProps {
  clientId: string;
  /** @param created the new user, if one was created */
  close: (created?: UserWithCode) => void;
}

/** Creates a user, shows the code once, and offers the link with which the user connects a health system. */
export function NewUser({ clientId, close }: NewUserProps): ReactNode {
  const tell = useToast();
  const [created, setCreated] = useState<UserWithCode>();
  const [id, setId] = useState('');
  const submit = async (data: FormData): Promise<void> => {
    const body = { app_user_id: textOf(data, 'app_user_id') };
    setCreated(await call<UserWithCode>('POST', asClient(clientId, 'base', usersPath), body));
    await refresh(keys.users(clientId));
    tell('The user is created.');
  };
  return (
    <DialogBox
      title={created ? created.app_user_id : 'New user'}
      close={() => close(created)}
      isOnce={created !== undefined}
    >
      {created ? (
        <>
          <UserCode clientId={clientId} code={created.code} />
          <p>Next, the user connects a health system: make a link for the browser of the user.</p>
          <div className="actions">
            <button type="button" className="primary" onClick={() => close(created)}>
              Done
            </button>
            <ConnectLink clientId={clientId} user={created} />
          </div>
        </>
      ) : (
        <>
          <Form
            submit={submit}
            action="Create user"
            fieldOf={{ user_already_exists: 'app_user_id' }}
            more={<CancelButton close={close} />}
          >
            <Field
              name="app_user_id"
              label="app_user_id"
              hint="How your application identifies the user: up to 255 characters, and no other user has it."
              maxLength={255}
              value={id}
              onChange={(event) => setId(event.target.value)}
              required
              autoFocus
              autoComplete="off"
              spellCheck={false}
            />
          </Form>
          <AsCurl
            clientId={clientId}
            api="base_url"
            path={usersPath}
            method="POST"
            body={{ app_user_id: id.trim() === '' ? 'first-user' : id.trim() }}
          />
        </>
      )}
    </DialogBox>
  );
}

import { type ReactNode, useState } from 'react';
import type { Client, ClientWithSecret } from '../api/answers';
import { keys, refresh, settingsPath } from '../api/queries';
import { call } from '../api/request';
import { Copyable } from '../components/copy-button';
import { CancelButton, DialogBox } from '../components/dialogs';
import { SelectField } from '../components/field';
import { Form, textOf } from '../components/form';
import { timeText } from '../text';
import { Credentials } from './credentials';

const overlaps = {
  0: 'Stops working at once',
  1: 'Works for 1 hour',
  24: 'Works for 1 day',
  168: 'Works for 7 days',
  720: 'Works for 30 days',
};

/** The credentials of a client, and the rotation of its secret. */
export function SecretSection({ client, organisationId }: { client: Client; organisationId: string }): ReactNode {
  const [isRotating, setRotating] = useState(false);
  const [rotated, setRotated] = useState<ClientWithSecret>();
  const previous = client.previous_secret_expires_at;
  const close = (): void => {
    setRotating(false);
    setRotated(undefined);
  };
  const rotate = async (data: FormData): Promise<void> => {
    const body = { overlap_hours: Number(textOf(data, 'overlap_hours')) };
    setRotated(await call<ClientWithSecret>('POST', `${settingsPath(client)}/secret`, body));
    await refresh(keys.clients(organisationId));
  };
  return (
    <section className="card column">
      <h2>Credentials</h2>
      <dl className="facts">
        <dt>client_id</dt>
        <dd>
          <Copyable text={client.client_id} what="client_id" />
        </dd>
        <dt>client_secret</dt>
        <dd>Shown once, when it is made.</dd>
        {previous !== undefined && (
          <>
            <dt>Previous secret</dt>
            <dd>Works until {timeText(previous)}.</dd>
          </>
        )}
      </dl>
      <button type="button" onClick={() => setRotating(true)}>
        Rotate the secret…
      </button>
      {isRotating && (
        <DialogBox
          title={rotated ? 'The new secret' : 'Rotate the secret'}
          close={close}
          isOnce={rotated !== undefined}
        >
          {rotated ? (
            <>
              <Credentials client={rotated} />
              <div className="actions">
                <button type="button" className="primary" onClick={close}>
                  I have kept it
                </button>
              </div>
            </>
          ) : (
            <>
              <p>
                The application gets a new secret. Let the old one work until every part of the application has the new
                one.
              </p>
              {previous !== undefined && <p>The secret before the present one stops working at once.</p>}
              <Form submit={rotate} action="Rotate" more={<CancelButton close={close} />}>
                <SelectField name="overlap_hours" label="The old secret" defaultValue="24" options={overlaps} />
              </Form>
            </>
          )}
        </DialogBox>
      )}
    </section>
  );
}

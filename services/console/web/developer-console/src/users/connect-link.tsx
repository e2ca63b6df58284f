import type { ConnectionEntry, UserEntry } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { asClient } from '../api/queries';
import { call } from '../api/request';
import { Copyable } from '../components/copy-button';
import { DialogBox } from '../components/dialogs';
import { Failure, Notice } from '../components/notice';
import { useAction } from '../components/use-action';
import { timeText } from '../text';

interface Link {
  url: string;
  expires_at: string;
}

export interface ConnectLinkProps {
  clientId: string;
  user: Pick<UserEntry, 'service_user_id'>;
  /** To be connected again; without it the user chooses a health system. */
  connection?: ConnectionEntry;
}

/** A button that makes a link with which the user connects a health system, and shows it once. */
export function ConnectLink({ clientId, user, connection }: ConnectLinkProps): ReactNode {
  const { act, failure, isBusy } = useAction();
  const [link, setLink] = useState<Link>();
  const make = async (): Promise<void> => {
    const again = connection && {
      health_system_id: connection.health_system.id,
      connection_id: connection.connection_id,
    };
    const body = { service_user_id: user.service_user_id, ...again };
    setLink(await call<Link>('POST', asClient(clientId, 'base', 'connect/v1/links'), body));
  };
  const close = (): void => setLink(undefined);
  return (
    <>
      <button type="button" className={connection && 'small'} aria-disabled={isBusy} onClick={() => act(make)}>
        {connection ? 'Reconnect link…' : 'Connect link…'}
        {connection && <span className="hidden"> of {connection.health_system.name}</span>}
      </button>
      {failure !== undefined && <Failure error={failure} />}
      {link && (
        <DialogBox title={connection ? 'A link to connect again' : 'A link to connect'} close={close} isOnce>
          <Notice kind="warning">
            The link is shown only now. Send the browser of the user there: it works once, in the first browser that
            opens it, until {timeText(link.expires_at)}.
          </Notice>
          <p>
            {connection
              ? `The user signs in at ${connection.health_system.name} again. As the same patient, it stays the same connection.`
              : 'On the connect pages the user chooses a health system, agrees, and signs in there.'}
          </p>
          <p>
            <Copyable text={link.url} what="the link" />
          </p>
          <div className="actions">
            <button type="button" className="primary" onClick={close}>
              Done
            </button>
            <a className="button" href={link.url} target="_blank" rel="noreferrer">
              Open it in a new tab
            </a>
          </div>
        </DialogBox>
      )}
    </>
  );
}

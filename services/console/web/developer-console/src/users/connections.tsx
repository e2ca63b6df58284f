import { useQuery } from '@tanstack/react-query';
import type { ConnectionEntry, UserEntry } from '@tributary/contracts';
import { type ReactNode, useEffect, useState } from 'react';
import { asClient, keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { Answer } from '../components/answer';
import { Copyable } from '../components/copy-button';
import { AsCurl } from '../components/curl';
import { Confirm } from '../components/dialogs';
import { Failure } from '../components/notice';
import { Status } from '../components/status';
import { useToast } from '../components/toasts';
import { useAction } from '../components/use-action';
import { countText, numberText, timeText } from '../text';
import { ConnectLink } from './connect-link';
import { releaseNames } from './releases';

const path = 'connect/v1/connections';
const collectingMs = 3000;

interface ConnectionsProps {
  clientId: string;
  user: UserEntry;
}

/** The health systems of a user, and what can be done with each. */
export function Connections({ clientId, user }: ConnectionsProps): ReactNode {
  const listPath = `${path}?service_user_id=${user.service_user_id}`;
  const connections = useQuery({
    queryKey: [...keys.users(clientId), 'connections', user.service_user_id],
    queryFn: () => call<{ entry: ConnectionEntry[] }>('GET', asClient(clientId, 'base', listPath)),
    refetchInterval: ({ state: { data } }) =>
      data?.entry.some(({ status }) => status === 'collecting') ? collectingMs : false,
    // Somebody comes back from the connect pages.
    refetchOnWindowFocus: true,
  });
  const collecting = connections.data?.entry.filter(({ status }) => status === 'collecting').length;
  useEffect(
    // When a collection ends, there is more to count.
    () => () => void refresh([...keys.users(clientId), 'counts', String(user.service_user_id)]),
    [collecting, clientId, user.service_user_id],
  );
  return (
    <>
      <h3>Connections</h3>
      <Answer query={connections}>
        {({ entry }) =>
          entry.length === 0 ? (
            <p className="muted">The user has not connected a health system yet.</p>
          ) : (
            <ul className="rows">
              {entry.map((connection) => (
                <Connection key={connection.connection_id} clientId={clientId} user={user} connection={connection} />
              ))}
            </ul>
          )
        }
      </Answer>
      {user.active && <ConnectLink clientId={clientId} user={user} />}
      <AsCurl clientId={clientId} api="base_url" path={listPath} />
    </>
  );
}

const states: Record<ConnectionEntry['status'], ReactNode> = {
  collecting: <Status kind="waiting">Collecting</Status>,
  active: <Status kind="good">Active</Status>,
  needs_reauthorization: <Status kind="warning">The user must sign in again</Status>,
  failed: <Status kind="bad">Failed</Status>,
  revoked: <Status kind="off">Disconnected</Status>,
};

function Connection({ connection, ...ofUser }: ConnectionsProps & { connection: ConnectionEntry }): ReactNode {
  const {
    health_system: system,
    fhirVersion,
    progress,
    warnings,
    error,
    last_collected_at: lastAt,
    retry_at: retryAt,
  } = connection;
  const types = progress.types_total > 0 ? `, ${progress.types_done} of ${progress.types_total} types` : '';
  return (
    <li className="connection">
      <div>
        <strong>{system.name}</strong>
        {states[connection.status]}
        <span className="muted">
          {releaseNames[fhirVersion]}: {numberText(progress.collected)} resources{types}
          {lastAt === null ? '' : `, last collected ${timeText(lastAt)}`}
        </span>
        {retryAt !== undefined && (
          <span className="muted">The health system is not available: again {timeText(retryAt)}.</span>
        )}
        {error && (
          <span className="muted">
            <code>{error.code}</code> {error.message}
          </span>
        )}
        {warnings.length > 0 && (
          <details>
            <summary>{countText(warnings.length + connection.warnings_omitted, 'warning')}</summary>
            <ul>
              {warnings.map((warning, index) => (
                <li key={index}>
                  {warning.type !== undefined && `${warning.type}: `}
                  {warning.message}
                </li>
              ))}
            </ul>
          </details>
        )}
        <Copyable text={connection.connection_id} what="connection_id" />
        <ConnectionActions {...ofUser} connection={connection} />
      </div>
    </li>
  );
}

function ConnectionActions({
  clientId,
  user,
  connection,
}: ConnectionsProps & { connection: ConnectionEntry }): ReactNode {
  const tell = useToast();
  const { act, failure, isBusy } = useAction();
  const [isDisconnecting, setDisconnecting] = useState(false);
  const { connection_id: id, health_system: system, status } = connection;
  const pathOf = (action: string): string =>
    asClient(clientId, 'base', `${path}/${id}${action}?service_user_id=${user.service_user_id}`);
  const collect = async (): Promise<void> => {
    await call('POST', pathOf('/refresh'));
    await refresh(keys.users(clientId));
    tell('The record is collected again.');
  };
  return (
    <>
      <div className="button-row">
        {user.active && ['active', 'failed'].includes(status) && (
          <button type="button" className="small" aria-disabled={isBusy} onClick={() => act(collect)}>
            Collect now<span className="hidden"> from {system.name}</span>
          </button>
        )}
        {user.active && <ConnectLink clientId={clientId} user={user} connection={connection} />}
        {status !== 'revoked' && (
          <button type="button" className="small danger" onClick={() => setDisconnecting(true)}>
            Disconnect…<span className="hidden"> {system.name}</span>
          </button>
        )}
      </div>
      {failure !== undefined && <Failure error={failure} />}
      {isDisconnecting && (
        <Confirm
          title={`Disconnect ${system.name}?`}
          action="Disconnect"
          close={() => setDisconnecting(false)}
          confirm={async () => {
            await call('DELETE', pathOf(''));
            await refresh(keys.users(clientId));
            tell(`${system.name} is disconnected.`);
          }}
        >
          <p>
            The tokens of {user.app_user_id} there are deleted, and nothing more is collected. What was collected stays.
            Only the user can connect it again.
          </p>
        </Confirm>
      )}
    </>
  );
}

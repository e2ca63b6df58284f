import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ConnectionEntry, UserEntry } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { asClient, keys, refresh, useAnswer } from '../api/queries';
import { call } from '../api/request';
import { OfClient, type ClientPageProps } from '../clients/of-client';
import { Answer } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { Copyable } from '../components/copy-button';
import { AsCurl, curlOf } from '../components/curl';
import { DataTable } from '../components/data-table';
import { Confirm, Panel } from '../components/dialogs';
import { Empty } from '../components/empty';
import { Failure } from '../components/notice';
import { Pages, pageRows } from '../components/pages';
import { SearchForm } from '../components/search-form';
import { Status } from '../components/status';
import { useToast } from '../components/toasts';
import { mayChangeClients } from '../organisations/roles';
import { countText, numberText, timeText } from '../text';

interface UserList {
  total: number;
  entry: UserEntry[];
}

const path = 'user-management/v1/user';

/** The users of a client, and their connections. */
export function UsersPage(): ReactNode {
  return <OfClient title="Users">{(props) => <Users {...props} />}</OfClient>;
}

function Users({ client, organisation }: ClientPageProps): ReactNode {
  const [parameters, setParameters] = useSearchParams();
  const search = parameters.get('app_user_id') ?? '';
  const offset = Number(parameters.get('offset') ?? 0);
  const query = new URLSearchParams({
    ...(search === '' ? {} : { app_user_id: search }),
    offset: String(offset),
    limit: String(pageRows),
  }).toString();
  const listPath = `${path}?${query}`;
  const users = useQuery({
    queryKey: [...keys.users(client.client_id), query],
    queryFn: () => call<UserList>('GET', asClient(client.client_id, 'base', listPath)),
    // The rows before stay while others are read, and the focus with them.
    placeholderData: keepPreviousData,
  });
  const opened = parameters.get('user');
  const change = (changes: Record<string, string | undefined>): void => {
    const next = new URLSearchParams(parameters);
    for (const [name, value] of Object.entries(changes))
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    setParameters(next);
  };
  const create = curlOf({
    clientId: client.client_id,
    api: 'base_url',
    path,
    method: 'POST',
    body: { app_user_id: 'first-user' },
  });
  return (
    <>
      <SearchForm
        label="Find a user by app_user_id"
        text={search}
        search={(text) => change({ app_user_id: text, offset: undefined })}
      />
      <Answer query={users} lines={8}>
        {({ total, entry }) =>
          total === 0 ? (
            search === '' ? (
              <Empty title="There is no user yet">
                <p>Your server creates a user for each of your own. Set CLIENT_SECRET in your shell, and try it:</p>
                <CodeBlock text={create} what="the command" />
                <button type="button" onClick={() => void users.refetch()}>
                  Look again
                </button>
              </Empty>
            ) : (
              <Empty title="No user has this app_user_id">
                <p>The search finds the whole identifier, in the same upper and lower case.</p>
                <button type="button" onClick={() => change({ app_user_id: undefined })}>
                  Show all users
                </button>
              </Empty>
            )
          ) : (
            <>
              <DataTable
                caption="Users"
                rows={entry}
                keyOf={(user) => String(user.service_user_id)}
                open={(user) => change({ user: String(user.service_user_id) })}
                columns={[
                  { header: 'app_user_id', cell: (user) => user.app_user_id },
                  { header: 'service_user_id', cell: (user) => user.service_user_id, isNumber: true, isWideOnly: true },
                  { header: 'State', cell: (user) => <Active isActive={user.active} /> },
                ]}
              />
              <Pages
                total={total}
                offset={offset}
                noun="user"
                go={(to) => change({ offset: to === 0 ? undefined : String(to) })}
              />
              <AsCurl clientId={client.client_id} api="base_url" path={listPath} />
            </>
          )
        }
      </Answer>
      {opened !== null && (
        <UserPanel
          key={opened}
          clientId={client.client_id}
          id={opened}
          mayChange={mayChangeClients(organisation.role)}
          close={() => change({ user: undefined })}
        />
      )}
    </>
  );
}

function Active({ isActive }: { isActive: boolean }): ReactNode {
  return isActive ? <Status kind="good">Active</Status> : <Status kind="off">Deactivated</Status>;
}

interface UserPanelProps {
  clientId: string;
  /** The service_user_id. */
  id: string;
  mayChange: boolean;
  close: () => void;
}

function UserPanel({ clientId, id, mayChange, close }: UserPanelProps): ReactNode {
  const found = useAnswer<UserList>(
    [...keys.users(clientId), 'one', id],
    asClient(clientId, 'base', `${path}?service_user_id=${encodeURIComponent(id)}`),
  );
  const user = found.data?.entry[0];
  return (
    <Panel title={user?.app_user_id ?? 'User'} close={close}>
      <Answer query={found}>
        {() =>
          user ? (
            <>
              <dl className="facts">
                <dt>app_user_id</dt>
                <dd>
                  <Copyable text={user.app_user_id} what="app_user_id" />
                </dd>
                <dt>service_user_id</dt>
                <dd>
                  <Copyable text={String(user.service_user_id)} what="service_user_id" />
                </dd>
                <dt>State</dt>
                <dd>
                  <Active isActive={user.active} />
                </dd>
              </dl>
              <Connections clientId={clientId} id={id} />
              {mayChange && <UserActions clientId={clientId} user={user} close={close} />}
            </>
          ) : (
            <p>There is no such user: it was deleted, or belongs to another application.</p>
          )
        }
      </Answer>
    </Panel>
  );
}

const states: Record<ConnectionEntry['status'], ReactNode> = {
  collecting: <Status kind="waiting">Collecting</Status>,
  active: <Status kind="good">Active</Status>,
  needs_reauthorization: <Status kind="warning">The user must sign in again</Status>,
  failed: <Status kind="bad">Failed</Status>,
  revoked: <Status kind="off">Disconnected</Status>,
};

function Connections({ clientId, id }: { clientId: string; id: string }): ReactNode {
  const listPath = `connect/v1/connections?service_user_id=${encodeURIComponent(id)}`;
  const connections = useQuery({
    queryKey: [...keys.users(clientId), 'connections', id],
    queryFn: () => call<{ entry: ConnectionEntry[] }>('GET', asClient(clientId, 'base', listPath)),
  });
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
                <Connection key={connection.connection_id} connection={connection} />
              ))}
            </ul>
          )
        }
      </Answer>
      <AsCurl clientId={clientId} api="base_url" path={listPath} />
    </>
  );
}

function Connection({ connection }: { connection: ConnectionEntry }): ReactNode {
  const { health_system: system, progress, warnings, error, last_collected_at: lastAt, retry_at: retryAt } = connection;
  const types = progress.types_total > 0 ? `, ${progress.types_done} of ${progress.types_total} types` : '';
  return (
    <li className="connection">
      <div>
        <strong>{system.name}</strong>
        {states[connection.status]}
        <span className="muted">
          {numberText(progress.collected)} resources{types}
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
      </div>
    </li>
  );
}

function UserActions({ clientId, user, close }: { clientId: string; user: UserEntry; close: () => void }): ReactNode {
  const tell = useToast();
  const [isDeleting, setDeleting] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const userPath = asClient(clientId, 'base', path);
  const set = async (active: boolean): Promise<void> => {
    setFailure(undefined);
    try {
      await call('PUT', userPath, { service_user_id: user.service_user_id, active });
      await refresh(keys.users(clientId));
      tell(active ? 'The user is active again.' : 'The user is deactivated.');
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <div className="panel-end">
      {failure !== undefined && <Failure error={failure} />}
      <div className="button-row">
        <button type="button" onClick={() => void set(!user.active)}>
          {user.active ? 'Deactivate' : 'Activate'}
        </button>
        <button type="button" className="danger" onClick={() => setDeleting(true)}>
          Delete…
        </button>
      </div>
      {isDeleting && (
        <Confirm
          title="Delete this user?"
          action="Delete user"
          name={user.app_user_id}
          close={() => setDeleting(false)}
          confirm={async () => {
            await call('DELETE', userPath, { service_user_id: user.service_user_id });
            close();
            await refresh(keys.users(clientId));
            tell('The user is deleted.');
          }}
        >
          <p>The connections and all collected records of the user are deleted. This cannot be undone.</p>
        </Confirm>
      )}
    </div>
  );
}

import type { UseQueryResult } from '@tanstack/react-query';
import type { UserEntry } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { asClient, keys, refresh, useAnswer, usersPath } from '../api/queries';
import { call } from '../api/request';
import { Answer } from '../components/answer';
import { Copyable } from '../components/copy-button';
import { Confirm, Panel } from '../components/dialogs';
import { Failure } from '../components/notice';
import { Status } from '../components/status';
import { useToast } from '../components/toasts';
import { useAction } from '../components/use-action';
import { Connections } from './connections';
import { RecordCounts } from './record-counts';
import { NewCode } from './user-code';

export interface UserList {
  total: number;
  entry: UserEntry[];
}

/** @param id the service_user_id; undefined: none is read */
export function useUser(clientId: string, id: string | undefined): UseQueryResult<UserList> {
  return useAnswer(
    [...keys.users(clientId), 'one', id],
    asClient(clientId, 'base', `${usersPath}?service_user_id=${encodeURIComponent(id ?? '')}`),
    id !== undefined,
  );
}

export function Active({ isActive }: { isActive: boolean }): ReactNode {
  return isActive ? <Status kind="good">Active</Status> : <Status kind="off">Deactivated</Status>;
}

interface UserPanelProps {
  clientId: string;
  /** The service_user_id. */
  id: string;
  /** Whether the role may change the user, and see how much was collected. */
  mayChange: boolean;
  close: () => void;
}

/** A user: the connections, the numbers of resources of the record, and what can be done. */
export function UserPanel({ clientId, id, mayChange, close }: UserPanelProps): ReactNode {
  const found = useUser(clientId, id);
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
              {mayChange ? (
                <>
                  <Connections clientId={clientId} user={user} />
                  {user.active && <RecordCounts clientId={clientId} id={id} />}
                  <UserActions clientId={clientId} user={user} close={close} />
                </>
              ) : (
                <p className="muted">Owners and developers see the connections and the record of a user.</p>
              )}
            </>
          ) : (
            <p>There is no such user: it was deleted, or belongs to another application.</p>
          )
        }
      </Answer>
    </Panel>
  );
}

function UserActions({ clientId, user, close }: { clientId: string; user: UserEntry; close: () => void }): ReactNode {
  const tell = useToast();
  const [asked, setAsked] = useState<'deactivate' | 'delete'>();
  const shut = (): void => setAsked(undefined);
  const { act, failure, isBusy } = useAction();
  const userPath = asClient(clientId, 'base', usersPath);
  const set = async (active: boolean): Promise<void> => {
    await call('PUT', userPath, { service_user_id: user.service_user_id, active });
    await refresh(keys.users(clientId));
    tell(active ? 'The user is active again.' : 'The user is deactivated.');
  };
  return (
    <div className="panel-end">
      {failure !== undefined && <Failure error={failure} />}
      <div className="button-row">
        {user.active && <NewCode clientId={clientId} user={user} />}
        <button
          type="button"
          aria-disabled={isBusy}
          onClick={() => (user.active ? setAsked('deactivate') : act(() => set(true)))}
        >
          {user.active ? 'Deactivate…' : 'Activate'}
        </button>
        <button type="button" className="danger" onClick={() => setAsked('delete')}>
          Delete…
        </button>
      </div>
      {asked === 'deactivate' && (
        <Confirm title="Deactivate this user?" action="Deactivate" close={shut} confirm={() => set(false)}>
          <p>
            All tokens and codes of {user.app_user_id} stop working at once, and nothing more is collected. The record
            stays. The user can be activated again, and then needs new tokens.
          </p>
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title="Delete this user?"
          action="Delete user"
          name={user.app_user_id}
          close={shut}
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

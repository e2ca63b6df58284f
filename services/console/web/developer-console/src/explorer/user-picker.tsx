import type { UserEntry } from '@tributary/contracts';
import { type ReactNode, useId, useState } from 'react';
import { asClient, keys, useAnswer, usersPath } from '../api/queries';
import { Failure } from '../components/notice';
import { SearchForm } from '../components/search-form';

export interface UserPickerProps {
  clientId: string;
  /** The service_user_id. */
  chosen: string | undefined;
  choose: (serviceUserId: string) => void;
}

/** The users of a client that the explorer can choose: the first ones, and any one by its app_user_id. */
export function useUsers(clientId: string): UserEntry[] | undefined {
  return useAnswer<{ entry: UserEntry[] }>(
    [...keys.users(clientId), 'first', 50],
    asClient(clientId, 'base', `${usersPath}?limit=50`),
  ).data?.entry;
}

/** Chooses the user whose identifiers the requests have. */
export function UserPicker({ clientId, chosen, choose }: UserPickerProps): ReactNode {
  const id = useId();
  const users = useUsers(clientId);
  const [search, setSearch] = useState('');
  const found = useAnswer<{ entry: UserEntry[] }>(
    [...keys.users(clientId), 'by app_user_id', search],
    asClient(clientId, 'base', `${usersPath}?app_user_id=${encodeURIComponent(search)}`),
    search !== '',
  );
  const all = [...(users ?? []), ...(found.data?.entry ?? [])];
  const isListed = all.some(({ service_user_id: each }) => String(each) === chosen);
  if (users?.length === 0)
    return <p className="muted">This application has no user yet. Create one with the operation “Create a user”.</p>;
  return (
    <div className="user-picker">
      <div>
        <label htmlFor={id}>User</label>
        <select id={id} value={chosen ?? ''} onChange={({ target }) => choose(target.value)}>
          {chosen !== undefined && !isListed && <option value={chosen}>{chosen}</option>}
          {[...new Map(all.map((user) => [user.service_user_id, user])).values()].map((user) => (
            <option key={user.service_user_id} value={user.service_user_id}>
              {user.app_user_id} ({user.service_user_id})
            </option>
          ))}
        </select>
      </div>
      <SearchForm label="Another user, by app_user_id" text={search} search={setSearch} />
      {found.error && <Failure error={found.error} />}
      {found.data?.entry.length === 0 && <p className="muted">No user has this app_user_id.</p>}
      {found.data?.entry[0] && String(found.data.entry[0].service_user_id) !== chosen && (
        <button type="button" onClick={() => choose(String(found.data.entry[0]?.service_user_id))}>
          Choose {found.data.entry[0].app_user_id}
        </button>
      )}
    </div>
  );
}

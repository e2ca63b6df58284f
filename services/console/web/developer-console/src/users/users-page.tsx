import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { asClient, keys, usersPath } from '../api/queries';
import { call } from '../api/request';
import { OfClient, type ClientPageProps } from '../clients/of-client';
import { Answer } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { AsCurl, curlOf } from '../components/curl';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Pages, pageRows } from '../components/pages';
import { SearchForm } from '../components/search-form';
import { useParameters } from '../components/use-parameters';
import { mayChangeClients } from '../organisations/roles';
import { NewUser } from './new-user';
import { Active, type UserList, UserPanel } from './user-panel';

/** The users of a client, and their connections. */
export function UsersPage(): ReactNode {
  return (
    <OfClient
      title="Users"
      actions={({ organisation }) =>
        mayChangeClients(organisation.role) && (
          <Link className="button primary" to="?new">
            New user
          </Link>
        )
      }
    >
      {(props) => <Users {...props} />}
    </OfClient>
  );
}

function Users({ client, organisation }: ClientPageProps): ReactNode {
  const [parameters, change] = useParameters();
  const search = parameters.get('app_user_id') ?? '';
  const offset = Number(parameters.get('offset') ?? 0);
  const query = new URLSearchParams({
    ...(search === '' ? {} : { app_user_id: search }),
    offset: String(offset),
    limit: String(pageRows),
  }).toString();
  const listPath = `${usersPath}?${query}`;
  const users = useQuery({
    queryKey: [...keys.users(client.client_id), query],
    queryFn: () => call<UserList>('GET', asClient(client.client_id, 'base', listPath)),
    // The rows before stay while others are read, and the focus with them.
    placeholderData: keepPreviousData,
  });
  const opened = parameters.get('user');
  const mayChange = mayChangeClients(organisation.role);
  const create = curlOf({
    clientId: client.client_id,
    api: 'base_url',
    path: usersPath,
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
                isReading={users.isPlaceholderData}
                go={(to) => change({ offset: to === 0 ? undefined : String(to) })}
              />
              <AsCurl clientId={client.client_id} api="base_url" path={listPath} />
            </>
          )
        }
      </Answer>
      {mayChange && parameters.has('new') && (
        <NewUser
          clientId={client.client_id}
          close={(created) => change({ new: undefined, user: created && String(created.service_user_id) })}
        />
      )}
      {opened !== null && (
        <UserPanel
          key={opened}
          clientId={client.client_id}
          id={opened}
          mayChange={mayChange}
          close={() => change({ user: undefined })}
        />
      )}
    </>
  );
}

import type { ClientUserCount, OperatedClient } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ClientOfOrganisation } from '../api/answers';
import { keys, useAnswer } from '../api/queries';
import { Answer } from '../components/answer';
import { Copyable } from '../components/copy-button';
import { Panel } from '../components/dialogs';
import { Mode, Status } from '../components/status';
import { countText, dateText, timeText } from '../text';
import { ChangeButton } from './change-button';
import { ClientsLayout } from './clients-layout';
import { SearchList } from './search-list';

/** All client applications of the service. */
export function OperatorClients(): ReactNode {
  return (
    <ClientsLayout>
      <SearchList<OperatedClient>
        caption="Applications"
        noun="application"
        path="clients"
        searched="Find by name, client_id or id of the organisation"
        filters={{
          mode: { label: 'Mode', options: { test: 'Test', live: 'Live' } },
          state: { label: 'State', options: { active: 'Active', disabled: 'Disabled', deleting: 'Being deleted' } },
        }}
        keyOf={(client) => client.client_id}
        columns={[
          {
            header: 'Name',
            cell: ({ name, mode }) => (
              <>
                {name}
                <span className="second-line narrow-only">
                  <Mode mode={mode} />
                </span>
              </>
            ),
          },
          { header: 'Mode', cell: ({ mode }) => <Mode mode={mode} />, isWideOnly: true },
          { header: 'client_id', cell: ({ client_id: id }) => <code>{id}</code>, isWideOnly: true },
          { header: 'Registered', cell: ({ created_at: at }) => dateText(at), isWideOnly: true },
          { header: 'State', cell: (client) => <State client={client} /> },
        ]}
        command="client list"
        panel={(id, client, close) => (
          <Panel key={id} title={client?.name ?? 'Application'} close={close}>
            <Details id={id} />
          </Panel>
        )}
      />
    </ClientsLayout>
  );
}

function State({ client }: { client: OperatedClient }): ReactNode {
  if (client.deletion_at !== undefined) return <Status kind="bad">Being deleted</Status>;
  if (client.disabled_at !== undefined) return <Status kind="off">Disabled</Status>;
  return <Status kind="good">Active</Status>;
}

function Details({ id }: { id: string }): ReactNode {
  const path = `clients/${encodeURIComponent(id)}`;
  const found = useAnswer<ClientOfOrganisation>(keys.operator(path), `operator/${path}`);
  const users = useAnswer<ClientUserCount>(keys.operator(path, 'users'), `operator/${path}/users`);
  return (
    <Answer query={found} lines={10}>
      {(client) => (
        <>
          <dl className="facts">
            <dt>client_id</dt>
            <dd>
              <Copyable text={client.client_id} what="client_id" />
            </dd>
            <dt>Mode</dt>
            <dd>
              <Mode mode={client.mode} />
            </dd>
            <dt>State</dt>
            <dd>
              <State client={client} />
              {client.disabled_at !== undefined && (
                <p className="muted">Disabled since {timeText(client.disabled_at)}.</p>
              )}
              {client.deletion_at !== undefined && (
                <p className="muted">Its users are deleted from {timeText(client.deletion_at)} on.</p>
              )}
            </dd>
            <dt>Organisation</dt>
            <dd>
              {client.organisation ? (
                <Link
                  to={`/operator/clients/organisations?${new URLSearchParams({ open: client.organisation.id }).toString()}`}
                >
                  {client.organisation.name}
                </Link>
              ) : (
                (client.organisation_id ?? 'None')
              )}
            </dd>
            <dt>Registered</dt>
            <dd>{timeText(client.created_at)}</dd>
            <dt>Redirect URIs</dt>
            <dd>
              <ul>
                {client.redirect_uris.map((uri) => (
                  <li key={uri}>
                    <code>{uri}</code>
                  </li>
                ))}
              </ul>
            </dd>
            <dt>Types</dt>
            <dd>{client.requested_types?.join(', ') ?? 'All'}</dd>
            <dt>Consent</dt>
            <dd>{consentText(client.consent_days)}</dd>
            <dt>People in a record</dt>
            <dd>{client.people === 'one' ? 'One' : 'Several'}</dd>
            <dt>Keys</dt>
            <dd>{keysText(client)}</dd>
          </dl>
          <h3>Users</h3>
          <Answer query={users} lines={1}>
            {({ users: count }) => <p>{countText(count, 'user')}</p>}
          </Answer>
          <div className="panel-end">
            <div className="button-row">
              {client.disabled_at === undefined ? (
                <ChangeButton
                  action="Disable"
                  title={`Disable ${client.name}?`}
                  isDanger
                  path={path}
                  body={{ disabled: true }}
                  done={`${client.name} is disabled.`}
                >
                  <p>
                    Its credentials and all tokens of its users stop working at once. Nothing is deleted: enabling it
                    undoes this.
                  </p>
                </ChangeButton>
              ) : (
                <ChangeButton
                  action="Enable"
                  title={`Enable ${client.name}?`}
                  path={path}
                  body={{ disabled: false }}
                  done={`${client.name} is enabled.`}
                >
                  <p>
                    Its credentials work again, and those tokens that have not expired.
                    {client.deletion_at !== undefined && ' It is not deleted, if its deletion has not begun.'}
                  </p>
                </ChangeButton>
              )}
            </div>
          </div>
        </>
      )}
    </Answer>
  );
}

function consentText(days: number | undefined): string {
  if (days === undefined) return 'Until the user ends it';
  return days === 0 ? 'As long as the first access token' : countText(days, 'day');
}

function keysText({ jwks, jwks_url: url }: OperatedClient): string {
  if (url !== undefined) return `Key set at ${url}`;
  return jwks ? 'A registered key set' : 'None: it authenticates by its secret';
}

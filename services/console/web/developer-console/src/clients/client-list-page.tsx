import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Account, Client } from '../api/answers';
import { useClients } from '../api/queries';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Page } from '../components/page';
import { Mode, Status } from '../components/status';
import { clientPath, organisationPath } from '../layout/place';
import { OfMembership } from '../organisations/membership';
import { mayChangeClients } from '../organisations/roles';
import { dateText } from '../text';

/** The client applications of an organisation. */
export function ClientListPage(): ReactNode {
  return (
    <OfMembership>{(organisation) => <ClientsOf key={organisation.id} organisation={organisation} />}</OfMembership>
  );
}

function ClientsOf({
  organisation: { id, name, role },
}: {
  organisation: Account['organisations'][number];
}): ReactNode {
  const clients = useClients(id);
  const mayCreate = mayChangeClients(role);
  const hasSome = (clients.data?.entry.length ?? 0) > 0;
  const newLink = (
    <Link className="button primary" to={organisationPath(id, 'clients/new')}>
      New application
    </Link>
  );
  return (
    <Page title="Applications" actions={mayCreate && hasSome && newLink}>
      <Answer query={clients}>
        {({ entry }) =>
          entry.length === 0 ? (
            <Empty title={`${name} has no application yet`}>
              <p>
                An application has the credentials with which your server calls the APIs, and the users whose records it
                collects. Begin with a test application: it connects to sandbox health systems, whose patients are
                invented.
              </p>
              {mayCreate ? newLink : <p className="muted">Owners and developers create applications.</p>}
            </Empty>
          ) : (
            <DataTable
              caption="Applications"
              rows={entry}
              keyOf={(client) => client.client_id}
              columns={[
                {
                  header: 'Name',
                  cell: (client) => <Link to={clientPath(id, client.client_id, 'overview')}>{client.name}</Link>,
                },
                { header: 'Mode', cell: ({ mode }) => <Mode mode={mode} /> },
                { header: 'client_id', cell: (client) => <code>{client.client_id}</code>, isWideOnly: true },
                { header: 'State', cell: (client) => <State client={client} />, isWideOnly: true },
              ]}
            />
          )
        }
      </Answer>
    </Page>
  );
}

function State({ client }: { client: Client }): ReactNode {
  if (client.deletion_at !== undefined)
    return <Status kind="bad">{`Deleted on ${dateText(client.deletion_at)}`}</Status>;
  if (client.disabled_at !== undefined) return <Status kind="off">Disabled</Status>;
  return <Status kind="good">Active</Status>;
}

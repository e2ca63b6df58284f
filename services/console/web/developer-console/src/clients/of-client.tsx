import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import type { Account, Client } from '../api/answers';
import { useClients } from '../api/queries';
import { Answer } from '../components/answer';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { Mode } from '../components/status';
import { UnknownPage } from '../layout/unknown-page';
import { OfMembership } from '../organisations/membership';
import { dateText } from '../text';

export interface ClientPageProps {
  client: Client;
  organisation: Account['organisations'][number];
}

interface OfClientProps {
  title: string;
  actions?: (props: ClientPageProps) => ReactNode;
  /** Whether the page shows something of a client whose requests are refused. */
  isForDisabled?: boolean;
  children: (props: ClientPageProps) => ReactNode;
}

/** Whether the credentials of a client, and what the console asks in its name, are refused. */
export function isDisabled({ disabled_at, deletion_at }: Client): boolean {
  return disabled_at !== undefined || deletion_at !== undefined;
}

/** A page of the client that the address names. */
export function OfClient(props: OfClientProps): ReactNode {
  return <OfMembership>{(organisation) => <Found organisation={organisation} {...props} />}</OfMembership>;
}

function Found({
  organisation,
  title,
  actions,
  isForDisabled = false,
  children,
}: OfClientProps & Pick<ClientPageProps, 'organisation'>): ReactNode {
  const { client: clientId } = useParams();
  const clients = useClients(organisation.id);
  const client = clients.data?.entry.find((each) => each.client_id === clientId);
  if (clients.data !== undefined && client === undefined) return <UnknownPage />;
  return (
    <Page
      title={title}
      subject={client?.name}
      aside={
        client && (
          <>
            <span className="muted">{client.name}</span>
            <Mode mode={client.mode} />
          </>
        )
      }
      actions={client && !isDisabled(client) && actions?.({ client, organisation })}
    >
      {client?.deletion_at !== undefined && (
        <Notice kind="warning">
          This application is being deleted: its credentials no longer work, and its users and their records are deleted
          after {dateText(client.deletion_at)}. Until then the operator of this service can bring it back.
        </Notice>
      )}
      {client?.disabled_at !== undefined && client.deletion_at === undefined && (
        <Notice kind="warning">
          The operator of this service has disabled this application: its credentials do not work.
        </Notice>
      )}
      {client ? (
        (isForDisabled || !isDisabled(client)) && <div key={client.client_id}>{children({ client, organisation })}</div>
      ) : (
        <Answer query={clients}>{() => null}</Answer>
      )}
    </Page>
  );
}

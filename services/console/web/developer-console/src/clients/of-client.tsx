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

/** A page of the client that the address names. */
export function OfClient({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: (props: ClientPageProps) => ReactNode;
  children: (props: ClientPageProps) => ReactNode;
}): ReactNode {
  return (
    <OfMembership>
      {(organisation) => <Found organisation={organisation} title={title} actions={actions} content={children} />}
    </OfMembership>
  );
}

interface FoundProps {
  organisation: Account['organisations'][number];
  title: string;
  actions: ((props: ClientPageProps) => ReactNode) | undefined;
  content: (props: ClientPageProps) => ReactNode;
}

function Found({ organisation, title, actions, content }: FoundProps): ReactNode {
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
      actions={client && actions?.({ client, organisation })}
    >
      {client?.deletion_at !== undefined && (
        <Notice kind="warning">
          This application is being deleted: its credentials no longer work, and its users and their records are deleted
          after {dateText(client.deletion_at)}. Until then the operator of this service can bring it back.
        </Notice>
      )}
      {client ? (
        <div key={client.client_id}>{content({ client, organisation })}</div>
      ) : (
        <Answer query={clients}>{() => null}</Answer>
      )}
    </Page>
  );
}

import { useEffect } from 'react';
import { useParams } from 'react-router';
import type { Account, Client } from '../api/answers';
import { useClients } from '../api/queries';
import { useSignedIn } from './account-context';

type Membership = Account['organisations'][number];

/** Where somebody has last been, for the next visit and for pages outside of organisations. */
const key = 'console-place';

/** The organisation and the client that the address names, or the last ones. */
export function usePlace(): { organisation?: Membership; clientId?: string } {
  const { organisations } = useSignedIn();
  const { organisation: organisationId, client: clientId } = useParams();
  useEffect(() => {
    if (organisationId !== undefined) localStorage.setItem(key, JSON.stringify({ organisationId, clientId }));
  }, [organisationId, clientId]);
  const find = (id: string | undefined): Membership | undefined => organisations.find((each) => each.id === id);
  if (organisationId !== undefined) {
    const organisation = find(organisationId);
    return { ...(organisation && { organisation }), ...(clientId === undefined ? {} : { clientId }) };
  }
  const last = JSON.parse(localStorage.getItem(key) ?? '{}') as { organisationId?: string; clientId?: string };
  const organisation = find(last.organisationId);
  if (organisation) return { organisation, ...(last.clientId === undefined ? {} : { clientId: last.clientId }) };
  const [first] = organisations;
  return first ? { organisation: first } : {};
}

/** The client of the place; undefined while it is read, and when there is none. */
export function usePlacedClient(): Client | undefined {
  const { organisation, clientId } = usePlace();
  const { data } = useClients(organisation?.id ?? '');
  return data?.entry.find((client) => client.client_id === clientId);
}

export function organisationPath(id: string, page: string): string {
  return `/organisations/${id}/${page}`;
}

export function clientPath(organisationId: string, clientId: string, page: string): string {
  return `/organisations/${organisationId}/clients/${encodeURIComponent(clientId)}/${page}`;
}

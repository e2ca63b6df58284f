import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Account, Client, ClientList, MemberList, SessionList } from './answers';
import { ApiError, call } from './request';

const maxRetries = 2;

/** An answer of 4xx is final. */
const mayRetry = (failures: number, error: unknown): boolean =>
  failures < maxRetries && error instanceof ApiError && (error.status === 0 || error.status >= 500);

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: mayRetry, staleTime: 30_000, refetchOnWindowFocus: false } },
});

/** The keys of what is read, the most general part first. */
export const keys = {
  account: ['account'],
  sessions: ['sessions'],
  members: (organisation: string) => ['organisation', organisation, 'members'],
  clients: (organisation: string) => ['organisation', organisation, 'clients'],
  users: (client: string) => ['client', client, 'users'],
  activity: (client: string) => ['client', client, 'activity'],
  webhooks: (client: string) => ['client', client, 'webhooks'],
  usage: (client: string) => ['client', client, 'usage'],
  audit: (client: string) => ['client', client, 'audit'],
  exports: (client: string) => ['client', client, 'exports'],
  operator: (...path: string[]) => ['operator', ...path],
} as const;

/** Reads the answer of a GET. */
export function useAnswer<Answer>(key: readonly unknown[], path: string, isEnabled = true): UseQueryResult<Answer> {
  return useQuery({ queryKey: key, queryFn: () => call<Answer>('GET', path), enabled: isEnabled });
}

/** Others change roles and permissions: they are read again when somebody comes back to the page. */
export const useAccount = (): UseQueryResult<Account> =>
  useQuery({
    queryKey: keys.account,
    queryFn: () => call<Account>('GET', 'account'),
    refetchOnWindowFocus: true,
  });
export const useSessions = (): UseQueryResult<SessionList> => useAnswer(keys.sessions, 'account/sessions');
export const useMembers = (organisation: string): UseQueryResult<MemberList> =>
  useAnswer(keys.members(organisation), `organisations/${organisation}/members`);
export const useClients = (organisation: string): UseQueryResult<ClientList> =>
  useAnswer(keys.clients(organisation), `organisations/${organisation}/clients`, organisation !== '');

/** Reads something again after it was changed. */
export async function refresh(...changed: (readonly unknown[])[]): Promise<void> {
  await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** Of the users of a client, below {base_url}. */
export const usersPath = 'user-management/v1/user';

/** The path of a public API, called as a client. */
export function asClient(clientId: string, api: 'auth' | 'base' | 'analytics', path: string): string {
  return `clients/${encodeURIComponent(clientId)}/${api}/${path}`;
}

export const settingsPath = (client: Pick<Client, 'client_id'>): string =>
  asClient(client.client_id, 'auth', 'client-management/v1/client');

import { waitUntil } from '@tributary/test-environment';
import { bearer, http } from '../suite/http';
import type { Ready } from '../suite/ready';
import type { Party } from './parties';
import type { Identifiers, RouteCase } from './route-case';

/** The routes of audit events. */
export function auditRoutes(ready: Ready): RouteCase[] {
  const event = async ({ user, userToken }: Party): Promise<Identifiers> => {
    const url = `${ready.base_url}/audit/r4/AuditEvent?subtype=search&patient=${user.service_user_id}&_count=1`;
    await http('GET', `${ready.base_url}/r4/Patient`, { headers: bearer(userToken) });
    const eventOfSearch = async (): Promise<Identifiers | undefined> => {
      const { json } = await http('GET', url, { headers: bearer(userToken) });
      return json.list('entry').length > 0 ? { id: json.text('entry', 0, 'resource', 'id') } : undefined;
    };
    return waitUntil(eventOfSearch, 'the search of a user has an audit event', 50);
  };
  return [
    { operationId: 'readAuditUsage', request: () => ({}) },
    { operationId: 'searchAuditEvents', request: () => ({}) },
    { operationId: 'searchAuditEventsByPost', request: () => ({ form: { _count: '1' } }) },
    {
      operationId: 'searchAuditEvents',
      about: 'about a user',
      make: async ({ user }) => ({ service_user_id: user.service_user_id }),
      request: ({ service_user_id }) => ({ query: { patient: String(service_user_id), subtype: 'search' } }),
      refuses: 200,
    },
    { operationId: 'readAuditEvent', make: event, request: ({ id = '' }) => ({ path: { id } }) },
  ];
}

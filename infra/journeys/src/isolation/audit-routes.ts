import { setTimeout as pause } from 'node:timers/promises';
import { bearer, http } from '../suite/http';
import type { Ready } from '../suite/ready';
import type { Party } from './parties';
import type { Identifiers, RouteCase } from './route-case';

/** The routes of audit events. */
export function auditRoutes(ready: Ready): RouteCase[] {
  const event = async ({ user, userToken }: Party): Promise<Identifiers> => {
    const url = `${ready.base_url}/audit/r4/AuditEvent?subtype=search&patient=${user.service_user_id}&_count=1`;
    await http('GET', `${ready.base_url}/r4/Patient`, { headers: bearer(userToken) });
    for (let left = 100; left > 0; left--) {
      const { json } = await http('GET', url, { headers: bearer(userToken) });
      if (json.list('entry').length > 0) return { id: json.text('entry', 0, 'resource', 'id') };
      await pause(100);
    }
    throw new Error('the search of a user has no audit event');
  };
  return [
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

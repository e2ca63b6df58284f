import type { IncomingMessage } from 'node:http';
import type { NewAuditEvent } from '@tributary/audit-log';
import { clientIdPattern } from '@tributary/contracts';

/** Who the callers of requests say they are, for the events of those that are refused. */
const claimed = new WeakMap<IncomingMessage, NewAuditEvent['agent']>();

/** Notes the client that a request names, before its credentials are verified. What no client id is, is not kept. */
export function claimClient(request: IncomingMessage, clientId: string): void {
  if (clientIdPattern.test(clientId)) claimed.set(request, { clientId });
}

/** Notes the service whose credentials a request has. */
export function claimService(request: IncomingMessage, service: string): void {
  claimed.set(request, { service });
}

export function claimedAgentOf(request: IncomingMessage): NewAuditEvent['agent'] {
  return claimed.get(request) ?? {};
}

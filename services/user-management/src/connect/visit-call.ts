import type { CallAttributes, RouteRequest } from '@tributary/service-kit';
import type { ConnectSession } from './connect-session';
import { type PageFacts, showIn } from './pages/page-facts';

type AnyCall = RouteRequest<unknown, undefined, undefined, undefined, undefined>;

/** A request of a browser that belongs to a visit. */
export interface VisitCall extends Pick<AnyCall, 'requestId' | 'log' | 'audit'> {
  /** Receives what becomes known of the visit, for the page of an error. */
  show(facts: PageFacts): void;
}

export function visitCall({
  requestId,
  log,
  audit,
  response,
}: Omit<VisitCall, 'show'> & Pick<AnyCall, 'response'>): VisitCall {
  return { requestId, log, audit, show: showIn(response) };
}

/** Whose visit it is, to which health system, and the connections that were made in it, for the audit log. */
export function sessionAttributes({
  serviceUserId,
  client,
  healthSystem,
  connections = [],
}: {
  serviceUserId: number;
  client: { client_id: string };
  healthSystem: { id: number };
  connections?: ConnectSession['connections'];
}): CallAttributes {
  return {
    subject: serviceUserId,
    clientId: client.client_id,
    entities: [
      { type: 'HealthSystem', id: String(healthSystem.id) },
      ...connections.map(({ connectionId, fhirVersion }) => ({
        type: 'Connection',
        id: connectionId,
        release: fhirVersion,
      })),
    ],
  };
}

import type { CallAttributes, RouteRequest } from '@tributary/service-kit';
import type { ConnectSession } from './connect-session';
import { type PageFacts, showIn } from './pages/page-facts';

type AnyCall = RouteRequest<unknown, undefined, undefined, undefined, undefined>;

/** A request of a browser that belongs to a connect session. */
export interface SessionCall extends Pick<AnyCall, 'requestId' | 'log' | 'audit'> {
  /** Receives what becomes known of the session, for the page of an error. */
  show(facts: PageFacts): void;
}

export function sessionCall(call: Pick<AnyCall, 'requestId' | 'log' | 'audit' | 'response'>): SessionCall {
  return { ...call, show: showIn(call.response) };
}

/** Whose session it is, to which health system, if known, and the connections made in it, for the audit log. */
export function sessionAttributes(session: {
  serviceUserId: number;
  client: { client_id: string };
  healthSystem: { id: number } | undefined;
  connections?: ConnectSession['connections'];
}): CallAttributes {
  const connections = (session.connections ?? []).map(({ connectionId: id, fhirVersion: release }) => {
    return { type: 'Connection', id, release };
  });
  const { healthSystem } = session;
  return {
    subject: session.serviceUserId,
    clientId: session.client.client_id,
    entities: [...(healthSystem ? [{ type: 'HealthSystem', id: String(healthSystem.id) }] : []), ...connections],
  };
}

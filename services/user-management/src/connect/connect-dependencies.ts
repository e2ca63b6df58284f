import type { AuthClient, DirectoryClient } from '@tributary/contracts';
import type { AccessTokens, CallAttributes, RequestLimit, RouteLimit } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import type { SigningKeys } from '../client-keys/signing-keys';
import type { CollectionQueue } from '../collection/collection-queue';
import type { ConsentEvents } from '../consent/consent-events';
import type { DataKeys } from '../database/data-keys';
import type { DiscoveryCache } from '../health-systems/discovery-cache';
import type { PausedHosts } from '../health-systems/paused-hosts';
import type { Registrations } from '../health-systems/registrations';
import type { TokenClient } from '../health-systems/token-client';
import type { Connections } from '../connections/connections';
import type { OutboundHttp } from '../outbound/outbound-http';
import type { Users } from '../users/users';
import type { AcceptedScopeFallbacks } from './accepted-scope-fallbacks';
import type { ConnectSession } from './connect-session';
import type { BrowserCookie } from './browser-cookie';
import type { PendingAuthorizations } from './pending-authorizations';

/** What the routes of connect use. */
export interface ConnectDependencies {
  database: DataSource;
  consentEvents: ConsentEvents;
  keys: DataKeys;
  auth: AuthClient;
  accessTokens: AccessTokens;
  users: Users;
  connections: Connections;
  directory: DirectoryClient;
  discoveryCache: DiscoveryCache;
  registrations: Registrations;
  pausedHosts: PausedHosts;
  signingKeys: SigningKeys;
  tokenClient: TokenClient;
  pendingAuthorizations: PendingAuthorizations;
  acceptedScopeFallbacks: AcceptedScopeFallbacks;
  collectionQueue: CollectionQueue;
  /** To health systems. */
  http: OutboundHttp;
  cookie: BrowserCookie;
  /** Whether `prompt` and `login_hint` are forwarded to the health system. */
  sandboxMode: boolean;
  /** Limits the requests of an address to the pages. */
  addressLimits: RouteLimit[];
  /** Limits the visits that a user begins. */
  userLimit: RequestLimit | undefined;
}

/** Adds to the audit event of the request. */
export interface Audited {
  audit(facts: CallAttributes): void;
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

import type { AuthClient, DirectoryClient } from '@tributary/contracts';
import type { AccessTokens, RequestLimit, RouteLimit } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import type { SigningKeys } from '../client-keys/signing-keys';
import type { CollectionQueue } from '../collection/collection-queue';
import type { DataKeys } from '../database/data-keys';
import type { DiscoveryCache } from '../health-systems/discovery-cache';
import type { Registrations } from '../health-systems/registrations';
import type { TokenEndpoint } from '../health-systems/token-endpoint';
import type { Connections } from '../connections/connections';
import type { Users } from '../users/users';
import type { AcceptedScopeSteps } from './accepted-scope-steps';
import type { BrowserCookie } from './browser-cookie';
import type { PendingAuthorizations } from './pending-authorizations';

/** What the routes of connect use. */
export interface ConnectDependencies {
  database: DataSource;
  keys: DataKeys;
  auth: AuthClient;
  accessTokens: AccessTokens;
  users: Users;
  connections: Connections;
  directory: DirectoryClient;
  discoveryCache: DiscoveryCache;
  registrations: Registrations;
  signingKeys: SigningKeys;
  tokenEndpoint: TokenEndpoint;
  pendingAuthorizations: PendingAuthorizations;
  acceptedScopeSteps: AcceptedScopeSteps;
  collectionQueue: CollectionQueue;
  cookie: BrowserCookie;
  /** Our redirect_uri at health systems. */
  callbackUrl: string;
  /** Whether `prompt` and `login_hint` are forwarded to the health system. */
  sandboxMode: boolean;
  /** Limits the requests of an address to the pages. */
  addressLimits: RouteLimit[];
  /** Limits the visits that a user begins. */
  userLimit: RequestLimit | undefined;
}

import { Api, oauthErrorFormat } from '@tributary/service-kit';
import type { Express } from 'express';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { ClientApplications } from './clients/client-applications';
import { internalApi } from './internal-api';
import { serveIntrospection } from './oauth2/introspection-endpoint';
import { requestingClient } from './oauth2/requesting-client';
import { serveRevocation } from './oauth2/revocation-endpoint';
import { serveServerMetadata } from './oauth2/server-metadata';
import { serveTokens } from './oauth2/token-endpoint';
import { RevocationChannel } from './revocations/revocation-channel';
import { Revocations } from './revocations/revocations';
import { AuthorizationCodes } from './tokens/authorization-codes';
import { LiveTokens } from './tokens/live-tokens';
import { RefreshOverlap } from './tokens/refresh-overlap';
import { RefreshTokens } from './tokens/refresh-tokens';

export interface AppDependencies {
  source: DataSource;
  pool: Pool;
  redis: Redis;
  log: Logger;
  authUrl: string;
  serviceKeys: Record<string, string>;
  refreshOverlapMs: number;
}

/** The two APIs of auth: the public one at {auth_url}, and the one for other services. */
export function createApps({ source, pool, redis, log, authUrl, serviceKeys, refreshOverlapMs }: AppDependencies): { publicApp: Express; internalApp: Express } {
  const clients = new ClientApplications(source);
  const codes = new AuthorizationCodes(pool);
  const liveTokens = new LiveTokens(pool);
  const overlap = new RefreshOverlap(refreshOverlapMs);
  const revocations = new Revocations(pool, new RevocationChannel(redis, log), log, overlap);
  const client = requestingClient(clients);

  const api = new Api({ title: 'Tributary: tokens', description: "Exchanges users' codes for OAuth 2.0 tokens.", serverUrl: authUrl, errorFormat: oauthErrorFormat, log });
  serveTokens(api, client, { codes, refreshTokens: new RefreshTokens(pool), revocations, overlap });
  serveRevocation(api, client, revocations, liveTokens);
  serveIntrospection(api, client, liveTokens, authUrl);
  serveServerMetadata(api, authUrl);
  return { publicApp: api.express(), internalApp: internalApi({ serviceKeys, clients, codes, liveTokens, revocations, log }).express() };
}

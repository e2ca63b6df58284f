import { CheckpointKey, StreamKeyOpener } from '@tributary/audit-log';
import { AuthClient, exampleRule, operationOutcome, userScopes } from '@tributary/contracts';
import {
  AccessTokens,
  Api,
  CredentialGuard,
  FailedTokens,
  RateLimits,
  type RunningService,
  type ServiceRuntime,
  type UserOrClient,
  clientCredentialsAuthentication,
  limitCallers,
  ofLimit,
  openPool,
  openRedis,
  openRedisSubscriber,
  operationOutcomeBody,
  operationOutcomeFormat,
  redisStartWaitMs,
  serveUsage,
  storeSessionSettings,
  untilReady,
} from '@tributary/service-kit';
import { AuditBlocks } from './blocks/audit-blocks';
import { auditCaller } from './callers/audit-caller';
import { CheckpointLog } from './checkpoints/checkpoint-log';
import { startCheckpoints } from './checkpoints/checkpoint-task';
import type { AuditLogConfig } from './config';
import { operatorApi } from './operator/operator-routes';
import { serveAuditCapabilities } from './fhir/capability-statement';
import { startIndexCleaning, startPartitions } from './retention/partition-task';
import { fhirPath, pageLimits, serveAuditEvents } from './search/audit-event-routes';
import { PageLinks } from './search/page-links';
import { startVerification } from './verification/verification-task';
import { findingLine } from './verification/verify-log';

export const serviceName = 'audit-log';

/** The schema of the audit log; `provision` makes it, because no service may own it. */
const auditSchema = 'audit';

/** Sizes and times, which tests change. */
const auditLogSettings = {
  limits: pageLimits,
  /** The interval of checkpoints, after which a removal of the newest events is noticed. */
  checkpointSeconds: 60,
};

/** Starts audit-log: the API at {base_url}/audit, the checkpoints and the care for the partitions. */
export async function start(
  config: AuditLogConfig,
  runtime: ServiceRuntime,
  { limits, checkpointSeconds } = auditLogSettings,
): Promise<RunningService> {
  const { log } = runtime;
  // A key that cannot be used ends the start.
  new StreamKeyOpener(config.AUDIT_OPENING_KEY.accepted);
  for (const key of config.AUDIT_SIGNING_KEY.accepted) new CheckpointKey(key);
  const pool = openPool(config, auditSchema, { log });
  await storeSessionSettings(pool, config, auditSchema);
  const [subscriber, commands] = [openRedisSubscriber(config, log), openRedis(config, log)];
  // Without it client credentials are refused.
  await untilReady(commands, redisStartWaitMs).catch(() => undefined);
  const auth = new AuthClient(runtime.internalHttp('auth', config.AUTH_INTERNAL_URL));
  const rateLimits = new RateLimits(commands, config.RATE_LIMITS);
  const [ofUser, ofClient] = [rateLimits.limit('audit-user'), rateLimits.limit('audit-client')];
  const credentials = { auth, guard: new CredentialGuard({ ...config, redis: commands }) };
  const audit = { trail: runtime.audit, trustedProxies: config.TRUSTED_PROXIES };
  const blocks = new AuditBlocks(pool, config.AUDIT_OPENING_KEY, ({ streamId, sequence }) =>
    log.error({ stream: streamId, sequence }, 'a block of the audit log cannot be opened; searches skip it'),
  );
  const api = new Api({
    title: 'Tributary: audit events',
    description: `Who has accessed the records of a client's users. ${exampleRule}`,
    serverUrl: config.BASE_URL,
    tags: {
      'Audit events': 'The audit log as FHIR AuditEvent of R4, with the profiles of IHE BALP where they fit.',
      Discovery: 'What this API can do, and where tokens come from.',
    },
    errorBody: { schema: operationOutcome, contentType: 'application/fhir+json', body: operationOutcomeBody },
    errorFormat: operationOutcomeFormat,
    audit,
    log,
  });
  serveAuditEvents(api, {
    caller: auditCaller({
      tokens: new AccessTokens(auth, subscriber, new FailedTokens(rateLimits, config.TRUSTED_PROXIES)),
      ...credentials,
    }),
    limits: limitCallers<UserOrClient>([
      { limit: ofUser, keyOf: ({ serviceUserId }) => serviceUserId?.toString() },
      { limit: ofClient, keyOf: ({ clientId, serviceUserId }) => (serviceUserId === undefined ? clientId : undefined) },
    ]),
    log: blocks,
    links: new PageLinks(config.PAGE_TOKEN_KEY),
    pageLimits: limits,
    baseUrl: config.BASE_URL,
  });
  serveUsage(api, {
    path: '/audit/v1/usage',
    operationId: 'readAuditUsage',
    subject: 'audit events',
    tags: ['Audit events'],
    authentication: clientCredentialsAuthentication(credentials),
    rateLimits,
    limits: ofLimit(ofClient),
  });
  serveAuditCapabilities(api, config.BASE_URL, fhirPath, config.AUTH_URL);
  api.protect({
    url: `${config.BASE_URL}${fhirPath}`,
    authorizationServer: config.AUTH_URL,
    scopes: [...userScopes, 'system/AuditEvent.rs', 'system/*.rs'],
    name: 'Audit events',
  });
  const checkpoints = new CheckpointLog(pool, config, (finding) =>
    log.error({ finding: findingLine(finding) }, 'the audit log was changed'),
  );
  const tasks = [
    startCheckpoints(checkpoints, config.AUDIT_ANCHOR_FILE, checkpointSeconds, log),
    startVerification(pool, config, runtime.audit, log),
    startPartitions(pool, log),
    startIndexCleaning(pool, log),
  ];
  return {
    publicApp: api.express(),
    internalApp: operatorApi({ pool, config, blocks, audit, log }).express(),
    ready: { database: () => pool.query('SELECT FROM audit.block LIMIT 0') },
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
      subscriber.disconnect();
      commands.disconnect();
      await pool.end();
    },
  };
}

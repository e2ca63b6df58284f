import { AuthClient } from '@tributary/contracts';
import { PublicApi } from '@tributary/outbound';
import {
  AccessTokens,
  FailedTokens,
  RateLimits,
  limitUsers,
  openRedis,
  openRedisSubscriber,
  readConfig,
  runService,
} from '@tributary/service-kit';
import { publicApp } from './app';
import { config } from './config';
import { CallLimits } from './endpoint/call-limits';
import { McpEndpoint } from './endpoint/mcp-endpoint';

const name = 'mcp-server';
/** How long before the connections are closed calls are ended, so that their clients get an answer. */
const answerMs = 3000;
/** Calls of tools in one process that run and that wait; further ones are refused. */
const concurrentCalls = { calls: 8, callsPerUser: 3, waitingCalls: 64, waitingCallsPerUser: 12 };

void runService({
  name,
  readConfig: () => readConfig(config),
  start: (settings, runtime) => {
    const { log } = runtime;
    const [subscriber, redis] = [openRedisSubscriber(settings, log), openRedis(settings, log)];
    const auth = new AuthClient(runtime.internalHttp('auth', settings.AUTH_INTERNAL_URL));
    const limits = new CallLimits({
      ...concurrentCalls,
      callTimeoutMs: settings.CALL_TIMEOUT_SECONDS * 1000,
    });
    const rateLimits = new RateLimits(redis, settings.RATE_LIMITS);
    const api = new PublicApi(settings.API_URL, () => runtime.identity?.options(), 'tributary-mcp');
    const endpoint = new McpEndpoint({ api, limits, log });
    return Promise.resolve({
      publicApp: publicApp({
        endpoint,
        tokens: new AccessTokens(auth, subscriber, new FailedTokens(rateLimits, settings.TRUSTED_PROXIES)),
        settings,
        limits: limitUsers(rateLimits.limit('mcp-user')),
        log,
      }),
      // Auth and fhir-store have readiness checks of their own.
      ready: {},
      closing: (withinMs) => endpoint.endCalls(withinMs - answerMs),
      stop: () => {
        subscriber.disconnect();
        redis.disconnect();
        return Promise.resolve();
      },
    });
  },
});

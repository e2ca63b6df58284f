import { AuthClient, ConnectSessionsClient, DirectoryClient } from '@tributary/contracts';
import { PublicApi } from '@tributary/outbound';
import {
  AccessTokens,
  BrowserCookie,
  FailedTokens,
  RateLimits,
  limitAddresses,
  openRedis,
  readConfig,
  runService,
} from '@tributary/service-kit';
import { consoleApp } from './connect-pages/app';
import { config } from './config';
import { readWebApplication } from './connect-pages/screens/web-application';
import { PageSessions } from './connect-pages/sessions/page-sessions';

const name = 'console';

void runService({
  name,
  readConfig: () => readConfig(config),
  start: async (settings, runtime) => {
    const { log } = runtime;
    const [subscriber, redis] = [openRedis(settings, log), openRedis(settings, log)];
    const auth = new AuthClient(runtime.internalHttp('auth', settings.AUTH_INTERNAL_URL));
    const rateLimits = new RateLimits(redis, settings.RATE_LIMITS);
    const apiAt = (url: string): PublicApi =>
      new PublicApi(url, () => runtime.identity?.options(), 'tributary-connect');
    return {
      publicApp: consoleApp({
        baseUrl: settings.BASE_URL,
        auth,
        tokens: new AccessTokens(auth, subscriber, new FailedTokens(rateLimits, settings.TRUSTED_PROXIES)),
        sessions: new PageSessions(redis),
        cookie: new BrowserCookie(settings.BASE_URL),
        apis: { base: apiAt(settings.API_URL), search: apiAt(settings.SEARCH_API_URL) },
        directory: new DirectoryClient(runtime.internalHttp('search', settings.SEARCH_INTERNAL_URL)),
        connectSessions: new ConnectSessionsClient(
          runtime.internalHttp('user-management', settings.USER_MANAGEMENT_INTERNAL_URL),
        ),
        web: await readWebApplication(),
        limits: limitAddresses(rateLimits.limit('connect-page'), settings.TRUSTED_PROXIES),
        log,
      }),
      // Its APIs have readiness checks of their own.
      ready: {},
      stop: () => {
        subscriber.disconnect();
        redis.disconnect();
        return Promise.resolve();
      },
    };
  },
});

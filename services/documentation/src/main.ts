import { readConfig, runService } from '@tributary/service-kit';
import { documentationApp } from './app';
import { config } from './config';
import { References } from './reference/references';
import { buildSite } from './site';

void runService({
  name: 'documentation',
  readConfig: () => readConfig(config),
  start: async (settings, { log }) => {
    const urls = {
      base_url: settings.BASE_URL,
      auth_url: settings.AUTH_URL,
      search_url: settings.SEARCH_URL,
      analytics_url: settings.ANALYTICS_URL,
    };
    const from = {
      base_url: settings.API_URL ?? urls.base_url,
      auth_url: settings.AUTH_API_URL ?? urls.auth_url,
      search_url: settings.SEARCH_API_URL ?? urls.search_url,
      analytics_url: settings.ANALYTICS_API_URL ?? urls.analytics_url,
    };
    const references = new References({ urls, from, log });
    return {
      publicApp: documentationApp({ files: await buildSite(urls, settings.SANDBOX_URL), references, urls, log }),
      ready: {},
      stop: () => Promise.resolve(),
    };
  },
});

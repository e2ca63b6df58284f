import { readConfig, runService } from '@tributary/service-kit';
import { documentationApp } from './app';
import { config } from './config';
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
    return {
      publicApp: documentationApp({ files: await buildSite(urls, settings.SANDBOX_URL), urls, log }),
      ready: {},
      stop: () => Promise.resolve(),
    };
  },
});

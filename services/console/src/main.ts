import { readConfig, runService } from '@tributary/service-kit';
import { consoleApp } from './app';
import { config } from './config';

void runService({
  name: 'console',
  readConfig: () => readConfig(config),
  start: (settings, { log }) =>
    Promise.resolve({
      publicApp: consoleApp({ settings, log }),
      ready: {},
      stop: () => Promise.resolve(),
    }),
});

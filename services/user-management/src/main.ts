import { readConfig, runService } from '@tributary/service-kit';
import { start } from './app';
import { config } from './config';
import { serviceName } from './resources';

void runService({ name: serviceName, readConfig: () => readConfig(config), start });

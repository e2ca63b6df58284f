import { readConfig, runService } from '@tributary/service-kit';
import { config } from './config';
import { serviceName, start } from './app';

void runService({ name: serviceName, readConfig: () => readConfig(config), start });

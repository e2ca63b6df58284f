import { readConfig, runService } from '@tributary/service-kit';
import { config } from './config';
import { serviceName, start } from './start';

void runService({ name: serviceName, readConfig: () => readConfig(config), start });

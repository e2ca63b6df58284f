import { readConfig, runService } from '@tributary/service-kit';
import { start } from './app';
import { config, serviceName } from './config';

void runService({ name: serviceName, readConfig: () => readConfig(config), start });

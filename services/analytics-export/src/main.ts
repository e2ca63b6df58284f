import { readConfig, runService } from '@tributary/service-kit';
import { serviceName, start } from './app';
import { analyticsExportConfig } from './config';

void runService({ name: serviceName, readConfig: () => readConfig(analyticsExportConfig), start });

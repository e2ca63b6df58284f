import { readConfig, runService } from '@tributary/service-kit';
import { analyticsExportConfig } from './config';
import { start } from './start';

void runService({ name: 'analytics-export', readConfig: () => readConfig(analyticsExportConfig), start });

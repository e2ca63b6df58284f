import { readConfig, runService } from '@tributary/service-kit';
import { serviceName, start } from './app';
import { auditLogConfig } from './config';

void runService({ name: serviceName, readConfig: () => readConfig(auditLogConfig), start });

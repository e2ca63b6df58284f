import { Api, type ApiOptions } from '../src/api/api';
import { serviceErrorFormat } from '../src/api/error-formats';
import { createLog } from '../src/runtime/log';

/** An API without routes, documentation of its own, audit events and log. */
export function testApi(options: Partial<ApiOptions> = {}): Api {
  return new Api({
    title: 'T',
    description: 'D',
    serverUrl: 'http://localhost',
    audit: { none: 'for the test' },
    errorFormat: serviceErrorFormat,
    log: createLog('test', 'silent'),
    ...options,
  });
}

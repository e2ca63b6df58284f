import type { Ready } from '../suite/ready';
import { auditRoutes } from './audit-routes';
import { exportRoutes } from './export-routes';
import type { RouteCase } from './route-case';
import { tokenRoutes } from './token-routes';
import { userRoutes } from './user-routes';
import { webhookRoutes } from './webhook-routes';

export interface PublicApi {
  name: string;
  /** Where the document is, and the base of its paths unless `server` is. */
  base: string;
  server?: string;
  routes: RouteCase[];
  /** Operations that tell everyone the same. */
  open: readonly string[];
}

const search: RouteCase = { operationId: 'searchHealthSystems', request: () => ({ form: { query: 'sandbox' } }) };
/** The APIs of the four base URLs, except that of FHIR, with a case of each operation. */
export const publicApis = (ready: Ready): PublicApi[] => [
  {
    name: 'users, connections and webhooks',
    base: ready.base_url,
    routes: [...userRoutes(ready), ...webhookRoutes(ready)],
    open: ['clientKeys', 'describeResource1', 'describeResource2'],
  },
  { name: 'tokens', base: ready.auth_url, routes: tokenRoutes(ready), open: ['describeServer'] },
  { name: 'health systems', base: ready.search_url, routes: [search], open: ['describeResource1'] },
  {
    name: 'audit events',
    base: `${ready.base_url}/audit`,
    server: ready.base_url,
    routes: auditRoutes(ready),
    open: ['auditCapabilities', 'describeResource1'],
  },
  {
    name: 'bulk export',
    base: ready.analytics_url,
    routes: exportRoutes(ready),
    open: ['exportCapabilities', 'smartConfiguration', 'smartConfigurationOfRoot', 'describeResource1'],
  },
];

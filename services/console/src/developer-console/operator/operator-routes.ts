import type { Api } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { serveOperatedAccounts } from './account-routes';
import { serveOperatedAudit } from './audit-routes';
import { serveOperatedClients } from './client-routes';
import { serveOperatedKeys } from './key-routes';
import { serveOperatedOrganisations } from './organisation-routes';
import { serveOperatedQueue } from './queue-routes';
import { serveOperatedServices } from './service-routes';
import { serveOperatedSystems } from './system-routes';

/** The routes of the people who run the service. No answer has data of a user of a client. */
export function serveOperators(api: Api, dependencies: Dependencies): void {
  serveOperatedClients(api, dependencies);
  serveOperatedOrganisations(api, dependencies);
  serveOperatedAccounts(api, dependencies);
  serveOperatedSystems(api, dependencies);
  serveOperatedQueue(api, dependencies);
  serveOperatedServices(api, dependencies);
  serveOperatedKeys(api, dependencies);
  serveOperatedAudit(api, dependencies);
}

import { serviceError } from '@tributary/contracts';
import { Api, serviceErrorBody, serviceErrorFormat } from '@tributary/service-kit';
import type { Express } from 'express';
import { serveAccount } from './accounts/account-routes';
import { serveRegistration } from './accounts/registration-routes';
import { serveClients } from './clients/client-routes';
import { serveDocuments } from './clients/document-routes';
import { servePublicApis } from './clients/public-api-routes';
import { serveUserRecords } from './clients/user-record-routes';
import type { Dependencies } from './dependencies';
import { serveOperators } from './operator/operator-routes';
import { serveInvitations } from './organisations/invitation-routes';
import { serveMembers } from './organisations/member-routes';
import { serveOrganisations } from './organisations/organisation-routes';
import { serveFactors } from './second-factors/factor-routes';
import { serveSignIn } from './sign-in/sign-in-routes';

/** The API of the developer console, under {base_url}/console/api/v1. */
export function developerConsole(dependencies: Dependencies): Express {
  const api = new Api({
    title: 'Tributary: developer console',
    description:
      'The API of the web application at `{base_url}/console`: accounts of developers, sign-in, and organisations. A session is a cookie, and only the pages of the console can use it: what is no GET needs their `Origin`, and every POST and PATCH `Content-Type: application/json`, also without input. A session ends 15 minutes after the last request without `X-Unattended`, which a page sends with what it asks for while nobody uses it.',
    serverUrl: dependencies.baseUrl,
    tags: {
      Accounts: 'Signing up, verifying an address, and a new password by mail.',
      'Sign-in': 'A password, then a second factor.',
      Account: 'The own account, its password and its sessions.',
      'Second factors': 'Authenticators, passkeys and recovery codes.',
      Organisations: 'Organisations, their members and invitations.',
      Clients: 'Client applications, and the public APIs as they call them.',
      Operators: 'The whole service, for the people who run it: for all other accounts there are no such routes.',
    },
    errorBody: { schema: serviceError, body: serviceErrorBody },
    errorFormat: serviceErrorFormat,
    log: dependencies.log,
    audit: dependencies.audit,
    documentation: { path: '/console/openapi.json' },
  });
  serveRegistration(api, dependencies);
  serveSignIn(api, dependencies);
  serveAccount(api, dependencies);
  serveFactors(api, dependencies);
  serveOrganisations(api, dependencies);
  serveMembers(api, dependencies);
  serveInvitations(api, dependencies);
  serveClients(api, dependencies);
  serveDocuments(api, dependencies);
  // Before the APIs of clients, whose paths would match.
  serveUserRecords(api, dependencies);
  servePublicApis(api, dependencies);
  serveOperators(api, dependencies);
  return api.express();
}

import { type ComponentType, type ReactNode, Suspense, lazy } from 'react';
import { Route, Routes } from 'react-router';
import { ErrorBoundary } from './components/error-boundary';
import { SignedOutLayout } from './signed-out/signed-out-layout';

/** A page whose script is loaded when it is first opened. */
const later = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name): ReactNode => {
  const Page = lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] }));
  return <Page />;
};

const signedOut = () => import('./signed-out-pages');
const signedIn = () => import('./signed-in-pages');

const signIn = later(signedOut, 'SignIn');
const secondFactor = later(signedOut, 'SecondFactor');
const enrol = later(signedOut, 'Enrol');
const signUp = later(signedOut, 'SignUp');
const verifyEmail = later(signedOut, 'VerifyEmail');
const forgotPassword = later(signedOut, 'ForgotPassword');
const resetPassword = later(signedOut, 'ResetPassword');
const invitation = later(signedOut, 'InvitationPage');
const frame = later(signedIn, 'SignedIn');
const home = later(signedIn, 'Home');
const account = later(signedIn, 'AccountPage');
const newOrganisation = later(signedIn, 'NewOrganisation');
const members = later(signedIn, 'Members');
const organisationSettings = later(signedIn, 'OrganisationSettings');
const clientList = later(signedIn, 'ClientListPage');
const newClient = later(signedIn, 'NewClient');
const clientSettings = later(signedIn, 'ClientSettings');
const overview = later(() => import('./overview/overview-page'), 'OverviewPage');
const users = later(() => import('./users/users-page'), 'UsersPage');
const webhooks = later(() => import('./webhooks/webhooks-page'), 'WebhooksPage');
const audit = later(() => import('./audit/audit-page'), 'AuditPage');
const explorer = later(() => import('./explorer/explorer-page'), 'ExplorerPage');
const usage = later(() => import('./usage/usage-page'), 'UsagePage');
const exportsPage = later(() => import('./exports/exports-page'), 'ExportsPage');
const ofOperators = () => import('./operator-pages');
const operatorAudit = later(ofOperators, 'OperatorAudit');
const operatorClients = later(ofOperators, 'OperatorClients');
const operatorOrganisations = later(ofOperators, 'OperatorOrganisations');
const operatorAccounts = later(ofOperators, 'OperatorAccounts');
const operatorSystems = later(ofOperators, 'OperatorSystems');
const operatorKeys = later(ofOperators, 'OperatorKeys');
const operatorQueue = later(ofOperators, 'OperatorQueue');
const operatorServices = later(ofOperators, 'OperatorServices');
const unknown = later(signedIn, 'UnknownPage');

/** The pages by their addresses, below `{base_url}/console`. */
export function ConsoleRoutes(): ReactNode {
  return (
    <ErrorBoundary>
      {/* As in the document before the script has run. */}
      <Suspense fallback={<p className="loading">Loading…</p>}>
        <Routes>
          <Route element={<SignedOutLayout />}>
            <Route path="sign-in" element={signIn} />
            <Route path="sign-in/second-factor" element={secondFactor} />
            <Route path="sign-in/new-second-factor" element={enrol} />
            <Route path="sign-up" element={signUp} />
            <Route path="verify-email" element={verifyEmail} />
            <Route path="forgot-password" element={forgotPassword} />
            <Route path="reset-password" element={resetPassword} />
            <Route path="invitation" element={invitation} />
          </Route>
          <Route element={frame}>
            <Route index element={home} />
            <Route path="account" element={account} />
            <Route path="organisations/new" element={newOrganisation} />
            <Route path="organisations/:organisation">
              <Route path="members" element={members} />
              <Route path="settings" element={organisationSettings} />
              <Route path="clients" element={clientList} />
              <Route path="clients/new" element={newClient} />
              <Route path="clients/:client/overview" element={overview} />
              <Route path="clients/:client/users" element={users} />
              <Route path="clients/:client/webhooks" element={webhooks} />
              <Route path="clients/:client/audit" element={audit} />
              <Route path="clients/:client/explorer" element={explorer} />
              <Route path="clients/:client/usage" element={usage} />
              <Route path="clients/:client/exports" element={exportsPage} />
              <Route path="clients/:client/settings" element={clientSettings} />
            </Route>
            <Route path="operator/clients" element={operatorClients} />
            <Route path="operator/clients/organisations" element={operatorOrganisations} />
            <Route path="operator/clients/accounts" element={operatorAccounts} />
            <Route path="operator/systems" element={operatorSystems} />
            <Route path="operator/queue" element={operatorQueue} />
            <Route path="operator/services" element={operatorServices} />
            <Route path="operator/keys" element={operatorKeys} />
            <Route path="operator/audit" element={operatorAudit} />
            <Route path="*" element={unknown} />
          </Route>
        </Routes>
      </Suspense>
    </ErrorBoundary>
  );
}

/** What most visits of somebody who is signed in need, in one script. */
export { AccountPage } from './account/account-page';
export { ClientListPage } from './clients/client-list-page';
export { ClientSettings } from './clients/client-settings';
export { NewClient } from './clients/new-client';
export { SignedIn } from './layout/signed-in';
export { UnknownPage } from './layout/unknown-page';
export { Home } from './organisations/home';
export { Members } from './organisations/members';
export { NewOrganisation } from './organisations/new-organisation';
export { OrganisationSettings } from './organisations/organisation-settings';

/** The pages of the people who run the service, in one script. */
export { OperatorAccounts } from './operator/accounts-page';
export { OperatorClients } from './operator/clients-page';
export { OperatorOrganisations } from './operator/organisations-page';

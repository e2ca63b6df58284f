/** The pages of the people who run the service, in one script. */
export { OperatorAccounts } from './operator/accounts-page';
export { OperatorAudit } from './operator/audit-page';
export { OperatorClients } from './operator/clients-page';
export { OperatorKeys } from './operator/keys-page';
export { OperatorQueue } from './operator/queue-page';
export { OperatorServices } from './operator/services-page';
export { OperatorSystems } from './operator/systems-page';
export { OperatorOrganisations } from './operator/organisations-page';

export { Addresses, type Listener, portBaseOf } from './suite/addresses';
export { SuiteCertificates } from './suite/certificates';
export { adminCommands, adminProgram, asksForHelp, joinedStatus, runAdmin } from './suite/commands';
export { type Home, openHome } from './suite/home';
export { raisedLimits } from './suite/raised-limits';
export { type ReadyEvent, type RunningSuite, findRunningSuite } from './suite/running';
export { type StartOptions, type Suite, startSuite } from './suite/suite';
export { replicaName } from './suite/processes';

export { hintFor } from './near-paths';
export { type Backend, findRoute, healthPath, publicBackends } from './routes';
export { type FailureStatus, failureContent, headers, jsonType, liveBody, notFoundBody } from './responses';

export { hintFor } from './near-paths';
export { type Backend, backends, findRoute, healthPath } from './routes';
export { type Deployment, renderHaproxy } from './render-haproxy';
export { type FailureStatus, failureContent, headers, jsonType, liveBody, notFoundBody } from './responses';

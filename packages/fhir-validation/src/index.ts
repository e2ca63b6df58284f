export { MAX_ISSUES } from './findings';
export type { Issue, IssueCode, IssueSeverity } from './issue';
export { operationOutcome } from './operation-outcome';
export { recognizeResource, validateResource, type Recognition } from './validate-resource';

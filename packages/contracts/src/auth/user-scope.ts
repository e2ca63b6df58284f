/** The scope of a user's tokens unless the token request names another: reads and writes all data of the user. */
export const userScope = 'user';
/** Reads all data of the user. */
export const userReadScope = 'patient/*.rs';
/** Reads and writes all data of the user. */
export const userWriteScope = 'patient/*.cruds';
/**
 * The scopes of users' tokens, in the syntax of SMART 2
 * (https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html).
 */
export const userScopes = [userScope, userReadScope, userWriteScope];

/** Whether a token of a user with this scope may change data. */
export function mayWrite(scope: string): boolean {
  return scope.split(' ').some((value) => value === userScope || value === userWriteScope);
}

/** Whether the scope has values, all of which are scopes of users' tokens. */
export function isUserScope(scope: string): boolean {
  return scope.split(' ').every((value) => userScopes.includes(value));
}

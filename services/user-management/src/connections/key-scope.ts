/** The scope of the data key that seals a user's authorizations, grants and connections. */
export function keyScopeOfUser(serviceUserId: number): string {
  return `user-${serviceUserId}`;
}

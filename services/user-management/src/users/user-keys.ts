import type { DataKey, ScopedKeys } from '@tributary/key-vault';
import { HttpError } from '@tributary/service-kit';
import { isForeignKeyViolation } from '../database/constraint-violation';

/** The user was switched off or deleted meanwhile. */
export class UserNoLongerActive extends HttpError {
  constructor() {
    super(404, 'user_not_found', 'the user is not active any more');
    this.name = 'UserNoLongerActive';
  }
}

/**
 * The data keys that seal users' authorizations, grants and connections. A foreign key ties each to its user: a key cannot be made for a
 * user who is deleted, and goes with the user's row.
 */
export class UserKeys {
  constructor(private readonly keys: ScopedKeys) {}

  /** @throws UserNoLongerActive */
  async of(serviceUserId: number): Promise<DataKey> {
    try {
      return await this.keys.keyFor(scopeOf(serviceUserId));
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new UserNoLongerActive();
      throw error;
    }
  }

  forget(serviceUserId: number): Promise<void> {
    return this.keys.destroy(scopeOf(serviceUserId));
  }
}

/** The migration of `data_key` reads the id out of it. */
function scopeOf(serviceUserId: number): string {
  return `user-${serviceUserId}`;
}

/** What the work gives; undefined when it throws `UserNoLongerActive`. */
export async function unlessInactive<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserNoLongerActive) return undefined;
    throw error;
  }
}

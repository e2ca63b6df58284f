import { type DataKey, type RewrapResult, type ScopedKeys, UnsealingError } from '@tributary/key-vault';
import { UserNoLongerActive } from '../users/user-errors';
import { isViolation } from './constraint-violation';

/** The 256-bit data keys of this service, by what they protect. Each seals (AES-256-GCM) the secrets of one owner. */
export class DataKeys {
  constructor(private readonly scopedKeys: ScopedKeys) {}

  /** The client's own identifiers of its users, and the secrets of its webhook endpoints. */
  ofClient(clientId: string): Promise<DataKey> {
    return this.scopedKeys.keyFor(`client-${clientId}`);
  }

  /** Deletes the data key of a client: what it sealed cannot be read any more. */
  destroyOfClient(clientId: string): Promise<void> {
    return this.scopedKeys.destroy(`client-${clientId}`);
  }

  /**
   * A user's pending authorizations, tokens, patient ids and consent receipts. A foreign key ties the data key to the
   * row of the user: the key cannot be created for a deleted user, and is deleted with the row.
   * @throws UserNoLongerActive when the user is deleted
   */
  async ofUser(serviceUserId: number): Promise<DataKey> {
    try {
      return await this.scopedKeys.keyFor(userScope(serviceUserId));
    } catch (error) {
      if (isViolation(error, 'foreignKey')) throw new UserNoLongerActive();
      throw error;
    }
  }

  /** Deletes the data key of a user: what it sealed cannot be read any more. */
  destroyOfUser(serviceUserId: number): Promise<void> {
    return this.scopedKeys.destroy(userScope(serviceUserId));
  }

  /**
   * The data key of what belongs to no user or client. Tokens that wait for their revocation, and the consent receipts
   * of deleted users, outlive the data key of their user.
   */
  of(scope: 'registrations' | 'signing-keys' | 'token-revocations' | 'retained-consents'): Promise<DataKey> {
    return this.scopedKeys.keyFor(scope);
  }

  /** After a rotation of the key-encryption key: wraps all data keys by its newest version. */
  rewrapAll(): Promise<RewrapResult> {
    return this.scopedKeys.rewrapAll();
  }
}

/** The result of the work; undefined when another key sealed what it opens. */
export function unlessUnreadable<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnsealingError) return undefined;
    throw error;
  }
}

/** `user-tables.ts` derives the column `data_key.service_user_id` from this form. */
function userScope(serviceUserId: number): string {
  return `user-${serviceUserId}`;
}

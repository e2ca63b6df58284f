import { createHmac } from 'node:crypto';
import type { DataKey, ScopedKeys } from '@tributary/key-vault';

const blindBytes = 16;

/** A client's own identifiers of its users, kept sealed under the client's key, and found by a keyed hash under the same. */
export class AppUserIds {
  constructor(private readonly keys: ScopedKeys) {}

  async seal(clientId: string, serviceUserId: number, appUserId: string): Promise<Buffer> {
    return (await this.#keyOf(clientId)).sealText(appUserId, associatedData(serviceUserId));
  }

  async open(clientId: string, serviceUserId: number, sealed: Buffer): Promise<string> {
    return (await this.#keyOf(clientId)).openText(sealed, associatedData(serviceUserId));
  }

  /** The same for the same identifier of the same client, and nothing else: 128 bits of an HMAC. */
  async blind(clientId: string, appUserId: string): Promise<Buffer> {
    const key = (await this.#keyOf(clientId)).derive('app-user-id');
    return createHmac('sha256', key).update(appUserId, 'utf8').digest().subarray(0, blindBytes);
  }

  #keyOf(clientId: string): Promise<DataKey> {
    return this.keys.keyFor(`client-${clientId}`);
  }
}

function associatedData(serviceUserId: number): string {
  return `service_user ${serviceUserId} app_user_id`;
}

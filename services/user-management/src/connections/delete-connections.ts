import type { DataSource } from 'typeorm';
import { type UserKeys, unlessInactive } from '../users/user-keys';
import { type ForgetGrants, lockUser } from '../grants/delete-grants';

/** Events after connections: once these are gone nothing announces anything of them. */
const forgotten = ['authorization_attempt', 'connection', 'webhook_delivery'];

/** Forgets everything this service keeps of a user's connections, and destroys the key it was sealed under. May be repeated. */
export class ForgetConnections {
  constructor(
    private readonly source: DataSource,
    private readonly keys: UserKeys,
    private readonly grants: ForgetGrants,
  ) {}

  async forgetAll(serviceUserId: number): Promise<void> {
    const keys = await unlessInactive(() => this.grants.keys(serviceUserId));
    // With the user's row everything is gone.
    if (!keys) return;
    await this.source.transaction(async (manager) => {
      await lockUser(manager, serviceUserId);
      await this.grants.forgetAll(manager, serviceUserId, keys);
      for (const table of forgotten)
        await manager.query(`DELETE FROM ${table} WHERE service_user_id = $1`, [serviceUserId]);
    });
    await this.keys.forget(serviceUserId);
  }
}

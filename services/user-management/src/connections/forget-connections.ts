import type { ScopedKeys } from '@tributary/key-vault';
import type { DataSource } from 'typeorm';
import { keyScopeOfUser } from './key-scope';

/** Forgets everything this service keeps of a user's connections, and destroys the key it was sealed under. May be repeated. */
export class ForgetConnections {
  constructor(
    private readonly source: DataSource,
    private readonly keys: ScopedKeys,
  ) {}

  async forgetAll(serviceUserId: number): Promise<void> {
    await this.source.transaction(async (manager) => {
      for (const table of ['authorization_attempt', 'connection', 'health_system_grant']) await manager.query(`DELETE FROM ${table} WHERE service_user_id = $1`, [serviceUserId]);
    });
    await this.keys.forget(keyScopeOfUser(serviceUserId));
  }
}

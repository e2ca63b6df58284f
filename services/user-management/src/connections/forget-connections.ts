import type { ScopedKeys } from '@tributary/key-vault';
import type { DataSource } from 'typeorm';
import { keyScopeOfUser } from './key-scope';

/** Events after connections: once these are gone nothing announces anything of them. */
const forgotten = ['authorization_attempt', 'connection', 'health_system_grant', 'webhook_delivery'];

/** Forgets everything this service keeps of a user's connections, and destroys the key it was sealed under. May be repeated. */
export class ForgetConnections {
  constructor(
    private readonly source: DataSource,
    private readonly keys: ScopedKeys,
  ) {}

  async forgetAll(serviceUserId: number): Promise<void> {
    await this.source.transaction(async (manager) => {
      for (const table of forgotten) await manager.query(`DELETE FROM ${table} WHERE service_user_id = $1`, [serviceUserId]);
    });
    await this.keys.forget(keyScopeOfUser(serviceUserId));
  }
}

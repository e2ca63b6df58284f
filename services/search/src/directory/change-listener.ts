import type { Pool, PoolClient } from 'pg';
import { changeChannel } from '../loading/apply-statements';

/** Hears of each load in the moment in which it is committed, over a database connection of its own. */
export class ChangeListener {
  #client: PoolClient | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly onChange: () => void,
  ) {}

  /** Listens from now on, if it does not yet; a connection that was lost is replaced by the next call. */
  async listen(): Promise<void> {
    if (this.#client) return;
    const client = await this.pool.connect();
    this.#client = client;
    const lost = (): void => {
      if (this.#client === client) this.stop();
    };
    client.on('notification', this.onChange).on('error', lost).on('end', lost);
    try {
      await client.query(`listen ${changeChannel}`);
    } catch (error) {
      lost();
      throw error;
    }
  }

  stop(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
  }
}

import type { Pool, PoolClient } from 'pg';
import { changeChannel } from '../loading/apply-statements';

/** Receives a PostgreSQL notification for each committed load, on a database connection of its own. */
export class ChangeListener {
  #client: PoolClient | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly onChange: () => void,
  ) {}

  /** Opens the connection unless it is open; a lost connection is replaced by the next call. */
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

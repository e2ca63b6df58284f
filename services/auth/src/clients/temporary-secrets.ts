import type { ClientMode, TemporarySecret } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { newClientSecret, secretHash } from './client-credentials';

/** For how long a temporary secret works, in seconds. */
const lifetime = 300;

/**
 * Temporary secrets of clients, by which the console acts for a developer of a client: they work where the secret of
 * the client does, which the console does not know.
 */
export class TemporarySecrets {
  constructor(private readonly source: DataSource) {}

  /**
   * Returns undefined when there is no such client, it is disabled, or no organisation manages it: so the key of the
   * console opens no other clients.
   */
  async issue(clientId: string, developer: string): Promise<TemporarySecret | undefined> {
    const [client] = (await this.source.query(
      `SELECT mode FROM client_application
       WHERE client_id = $1 AND disabled_at IS NULL AND organisation_id IS NOT NULL`,
      [clientId],
    )) as { mode: ClientMode }[];
    if (!client) return undefined;
    const secret = newClientSecret(client.mode);
    // The client can have been deleted since.
    const [stored] = (await this.source.query(
      `INSERT INTO temporary_secret (secret_sha256, client_id, developer, expires_at)
       SELECT $2, client_id, $3, now() + $4 * interval '1 second' FROM client_application WHERE client_id = $1
       RETURNING expires_at`,
      [clientId, secretHash(secret), developer, lifetime],
    )) as { expires_at: Date }[];
    return stored && { client_secret: secret, expires_at: stored.expires_at.toISOString() };
  }

  /** The developer who acts by the secret; undefined when it is no temporary secret of the client, or has expired. */
  async developerOf(clientId: string, secret: string): Promise<string | undefined> {
    const [found] = (await this.source.query(
      'SELECT developer FROM temporary_secret WHERE secret_sha256 = $1 AND client_id = $2 AND expires_at > now()',
      [secretHash(secret), clientId],
    )) as { developer: string }[];
    return found?.developer;
  }
}

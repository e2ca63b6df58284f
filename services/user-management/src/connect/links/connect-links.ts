import { fhirVersion } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { changedRows, deleteInBatches } from '../../database/changed-rows';
import type { DataKeys } from '../../database/data-keys';
import { UserNoLongerActive } from '../../users/user-errors';
import { sessionOptions } from '../connect-request';
import { hashOf, randomSecret } from '../secrets';

/** How long a link works, in seconds. */
export const connectLinkSeconds = 600;

const linkContents = z.object({
  clientId: z.string(),
  /** Absent: the user chooses it on the connect pages. */
  healthSystemId: z.number().optional(),
  accountName: z.string().optional(),
  options: sessionOptions.extend({ fhirVersion: fhirVersion.optional(), scope_types: z.array(z.string()).optional() }),
});
export type LinkContents = z.infer<typeof linkContents>;

export interface OpenedLink extends LinkContents {
  serviceUserId: number;
}

/**
 * Links that begin a connect session (table `connect_link`). A link is stored as a hash only. It belongs to the browser
 * that opens it first, and begins one session. The contents are sealed under the data key of the user.
 */
export class ConnectLinks {
  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
  ) {}

  /** @throws UserNoLongerActive */
  async create(serviceUserId: number, contents: LinkContents): Promise<{ link: string; expiresAt: Date }> {
    const link = randomSecret();
    const sealed = (await this.keys.ofUser(serviceUserId)).sealText(JSON.stringify(contents), associatedData(link));
    const [row] = (await this.database.query(
      `INSERT INTO connect_link (link_hash, service_user_id, contents_sealed, expires_at)
       SELECT $1, service_user_id, $3, now() + $4 * interval '1 second' FROM service_user
       WHERE service_user_id = $2 AND state = 'active' FOR SHARE
       RETURNING expires_at`,
      [hashOf(link), serviceUserId, sealed, connectLinkSeconds],
    )) as { expires_at: Date }[];
    if (!row) throw new UserNoLongerActive();
    return { link, expiresAt: row.expires_at };
  }

  /**
   * Opens a link, which from then on belongs to this browser.
   * @param browserSecret of the cookie of this link, if the browser has one
   * @returns undefined when there is no such link, it has ended, or belongs to another browser; with a new secret for
   *   the cookie when the link was not opened before
   */
  async open(
    link: string,
    browserSecret: string | undefined,
  ): Promise<{ contents: OpenedLink; newBrowserSecret: string | undefined } | undefined> {
    const newBrowserSecret = randomSecret();
    const [row] = await changedRows<SealedLink & { is_new: boolean }>(
      this.database,
      `UPDATE connect_link SET browser_secret_hash = coalesce(browser_secret_hash, $2)
       WHERE link_hash = $1 AND (browser_secret_hash IS NULL OR browser_secret_hash = $3) AND expires_at > now()
       RETURNING service_user_id, contents_sealed, browser_secret_hash = $2 AS is_new`,
      [hashOf(link), hashOf(newBrowserSecret), hashOf(browserSecret ?? '')],
    );
    if (!row) return undefined;
    return {
      contents: await this.#contents(link, row),
      newBrowserSecret: row.is_new ? newBrowserSecret : undefined,
    };
  }

  /** The contents of a link that this browser has opened. */
  async find(link: string, browserSecret: string): Promise<OpenedLink | undefined> {
    const [row] = (await this.database.query(
      `SELECT service_user_id, contents_sealed FROM connect_link
       WHERE link_hash = $1 AND browser_secret_hash = $2 AND expires_at > now()`,
      [hashOf(link), hashOf(browserSecret)],
    )) as SealedLink[];
    return row && this.#contents(link, row);
  }

  /** Ends a link. @returns whether this call has: of concurrent ones with the same link one does */
  async end(link: string, browserSecret: string): Promise<boolean> {
    const ended = await changedRows(
      this.database,
      `DELETE FROM connect_link WHERE link_hash = $1 AND browser_secret_hash = $2 AND expires_at > now()
       RETURNING true`,
      [hashOf(link), hashOf(browserSecret)],
    );
    return ended.length === 1;
  }

  deleteExpired(): Promise<void> {
    return deleteInBatches(this.database, { table: 'connect_link', key: 'link_hash', condition: 'expires_at < now()' });
  }

  async #contents(link: string, row: SealedLink): Promise<OpenedLink> {
    const serviceUserId = Number(row.service_user_id);
    const key = await this.keys.ofUser(serviceUserId);
    const contents: unknown = JSON.parse(key.openText(row.contents_sealed, associatedData(link)));
    return { ...linkContents.parse(contents), serviceUserId };
  }
}

interface SealedLink {
  service_user_id: string;
  contents_sealed: Buffer;
}

function associatedData(link: string): string {
  return `connect_link ${hashOf(link).toString('hex')}`;
}

import type { ClientApplication, ClientMode, TokenRevocation } from '@tributary/contracts';
import type { DataSource, Repository } from 'typeorm';
import type { JsonWebKeySet } from '../client-authentication/key-set';
import { revokeTokensOf } from '../revocation/revoke-by-operator';
import { type ClientApplicationRow, clientApplicationEntity } from './client-application-entity';
import { isClientId, newClientSecret, secretHash, secretMatches } from './client-credentials';
import type { ClientSettings } from './client-settings';

/** The public keys by which a client can authenticate instead of by its secret: a key set, or the URL of one. */
export type ClientKeys = { jwks: JsonWebKeySet; jwks_url?: never } | { jwks_url: string; jwks?: never };

/** Without the logo, which can be long. */
type WithoutLogo = Omit<ClientApplication, 'logo'>;

/** A client with its keys and its state, as the operator's commands print it. Times are ISO 8601. */
export type RegisteredClient = WithoutLogo &
  Partial<ClientKeys> & {
    /** Whether it has one. */
    logo?: true;
    /** While the secret before the last rotation works. */
    previous_secret_expires_at?: string;
    disabled_at?: string;
    deletion_at?: string;
  };

export interface NewClient extends ClientSettings {
  name: string;
  mode: ClientMode;
  redirectUris: string[];
  credentials: { clientId: string; clientSecret: string };
  keys?: ClientKeys;
}

/** A client with its secret. Only the hash of the secret is stored, so it cannot be read again. */
export type ClientWithSecret = RegisteredClient & { client_secret: string };

/** The given client_id belongs to a client with another secret. */
class ClientIdTakenError extends Error {
  constructor() {
    super('this client_id is taken by a client with another secret');
    this.name = 'ClientIdTakenError';
  }
}

/** The mode of a client is decided when it is created: its users may have connections of that mode. */
class ClientModeFixedError extends Error {
  constructor(mode: ClientMode) {
    super(`this client is a ${mode} client, and the mode of a client cannot be changed`);
    this.name = 'ClientModeFixedError';
  }
}

/**
 * Disables client $1, and adds revocation $2 to the outbox in the same statement: the replicas of auth publish it, and
 * services remove the tokens of the client from their caches. $3: after how many seconds it is deleted; NULL: never.
 */
const disable = `
  WITH disabled AS (
    UPDATE client_application SET disabled_at = coalesce(disabled_at, now()),
      deletion_at = least(deletion_at, now() + $3 * interval '1 second')
    WHERE client_id = $1 RETURNING client_id
  )
  INSERT INTO revocation_outbox (message) SELECT $2::jsonb FROM disabled`;

const hourMs = 3_600_000;

/**
 * The registered client applications. Requests use `find`, for which a disabled client does not exist, `authenticate`
 * and `findKeys`.
 */
export class ClientApplications {
  readonly #clients: Repository<ClientApplicationRow>;

  constructor(private readonly source: DataSource) {
    this.#clients = source.getRepository(clientApplicationEntity);
  }

  async find(clientId: string): Promise<ClientApplication | undefined> {
    const row = await this.#find(clientId);
    if (row?.disabled_at !== null) return undefined;
    return { ...withoutLogo(row), ...(row.has_logo ? await this.#logoOf(clientId) : {}) };
  }

  /** Returns the client of these credentials; undefined when they are wrong. */
  async authenticate(clientId: string, clientSecret: string): Promise<WithoutLogo | 'disabled' | undefined> {
    const row = await this.#find(clientId);
    const previous = row && previousSecretEnd(row) ? row.previous_secret_sha256 : null;
    const matches = [row?.secret_sha256, previous ?? undefined].map((stored) => secretMatches(clientSecret, stored));
    if (!row || !matches.includes(true)) return undefined;
    return row.disabled_at === null ? withoutLogo(row) : 'disabled';
  }

  /** Returns the registered keys of a client; undefined when there are none, or no such client. */
  async findKeys(clientId: string): Promise<ClientKeys | 'disabled' | undefined> {
    const row = await this.#find(clientId);
    if (!row) return undefined;
    return row.disabled_at === null ? toClientKeys(row) : 'disabled';
  }

  /** The client, disabled or not; undefined when there is no such client. */
  async findRegistered(clientId: string): Promise<RegisteredClient | undefined> {
    const row = await this.#find(clientId);
    return row && toRegisteredClient(row);
  }

  /** Returns all clients, oldest first. */
  async list(): Promise<(RegisteredClient & { created_at: string })[]> {
    const rows = await this.#clients.find({ order: { created_at: 'ASC', client_id: 'ASC' } });
    return rows.map((row) => ({ ...toRegisteredClient(row), created_at: row.created_at.toISOString() }));
  }

  /**
   * Registers a client. The call is idempotent: for an existing client with the same secret it updates the name, the
   * redirect URIs and, if given, the keys and the terms of consent.
   * @throws ClientIdTakenError when the client exists with another secret
   * @throws ClientModeFixedError when the client exists with another mode
   */
  async create({ mode, credentials, keys, ...settings }: NewClient): Promise<ClientWithSecret> {
    const { clientId, clientSecret: secret } = credentials;
    const { name, redirectUris: redirect_uris } = settings;
    await this.#clients
      .createQueryBuilder()
      .insert()
      .values({ client_id: clientId, name, mode, redirect_uris, secret_sha256: secretHash(secret) })
      .orIgnore()
      .execute();
    const row = await this.#find(clientId);
    if (!row || !secretMatches(secret, row.secret_sha256)) throw new ClientIdTakenError();
    if (row.mode !== mode) throw new ClientModeFixedError(row.mode);
    const stored = await this.#update(clientId, { ...(keys ? keyColumns(keys) : {}), ...settingColumns(settings) });
    return { ...(stored ?? toRegisteredClient(row)), client_secret: secret };
  }

  /**
   * Replaces the secret. One before the old one stops working at once. Returns undefined when there is no such client.
   * @param overlapHours for how long the old secret still works
   */
  async rotateSecret(clientId: string, overlapHours = 0): Promise<ClientWithSecret | undefined> {
    const row = await this.#find(clientId);
    if (!row) return undefined;
    const secret = newClientSecret(row.mode);
    const previous =
      overlapHours > 0
        ? {
            previous_secret_sha256: (): string => 'secret_sha256',
            previous_secret_expires_at: new Date(Date.now() + overlapHours * hourMs),
          }
        : { previous_secret_sha256: null, previous_secret_expires_at: null };
    const rotated = await this.#update(clientId, { secret_sha256: secretHash(secret), ...previous });
    return rotated && { ...rotated, client_secret: secret };
  }

  /**
   * Replaces or removes the keys; the old ones stop working at once. Returns undefined when there is no such client.
   */
  async setKeys(clientId: string, keys: ClientKeys | undefined): Promise<RegisteredClient | undefined> {
    return this.#update(clientId, keyColumns(keys));
  }

  /** Changes settings. Returns undefined when there is no such client. */
  async set(clientId: string, settings: ClientSettings): Promise<RegisteredClient | undefined> {
    return this.#update(clientId, settingColumns(settings));
  }

  /**
   * Disables a client: its credentials, codes and tokens stop working at once. They are kept, and work again after
   * `enable` unless they have expired. Returns undefined when there is no such client.
   */
  async disable(clientId: string): Promise<RegisteredClient | undefined> {
    return this.#disable(clientId, null);
  }

  /**
   * Enables a disabled client again, unless its deletion has begun. Returns undefined when there is no such client.
   */
  async enable(clientId: string): Promise<RegisteredClient | undefined> {
    await this.source.query(
      `UPDATE client_application SET disabled_at = NULL, deletion_at = NULL
       WHERE client_id = $1 AND (deletion_at IS NULL OR deletion_at > now())`,
      [clientId],
    );
    return this.findRegistered(clientId);
  }

  /**
   * Disables a client, and deletes it later: user-management its users, and `remove` the client after them. Until then
   * `enable` prevents it. Returns undefined when there is no such client.
   * @param afterSeconds so many that no request of the client is in progress any more
   */
  async deleteLater(clientId: string, afterSeconds: number): Promise<RegisteredClient | undefined> {
    return this.#disable(clientId, afterSeconds);
  }

  /** The ids of clients whose deletion has begun, oldest first. */
  async findDeleting(): Promise<string[]> {
    const rows = (await this.source.query(
      `SELECT client_id FROM client_application WHERE deletion_at <= now()
       ORDER BY deletion_at LIMIT 100`,
    )) as { client_id: string }[];
    return rows.map(({ client_id }) => client_id);
  }

  /** Removes a client whose deletion has begun, and its tokens. */
  async remove(clientId: string): Promise<void> {
    const [begun] = (await this.source.query(
      'SELECT true AS begun FROM client_application WHERE client_id = $1 AND deletion_at <= now()',
      [clientId],
    )) as unknown[];
    if (!begun) return;
    await revokeTokensOf(this.source, { clientId });
    await this.#clients.delete({ client_id: clientId });
  }

  async #update(
    clientId: string,
    columns: Parameters<Repository<ClientApplicationRow>['update']>[1],
  ): Promise<RegisteredClient | undefined> {
    await this.#clients.update({ client_id: clientId }, columns);
    return this.findRegistered(clientId);
  }

  async #disable(clientId: string, deletedAfterSeconds: number | null): Promise<RegisteredClient | undefined> {
    const revocation = JSON.stringify({ client_id: clientId } satisfies TokenRevocation);
    await this.source.query(disable, [clientId, revocation, deletedAfterSeconds]);
    return this.findRegistered(clientId);
  }

  async #logoOf(clientId: string): Promise<Pick<ClientApplication, 'logo'>> {
    const [row] = (await this.source.query('SELECT logo FROM client_application WHERE client_id = $1', [clientId])) as {
      logo: string | null;
    }[];
    return row?.logo ? { logo: row.logo } : {};
  }

  async #find(clientId: string): Promise<ClientApplicationRow | undefined> {
    if (!isClientId(clientId)) return undefined;
    return (await this.#clients.findOneBy({ client_id: clientId })) ?? undefined;
  }
}

function withoutLogo({
  client_id,
  name,
  mode,
  redirect_uris,
  requested_types,
  consent_days,
  people,
  frame_origins,
}: ClientApplicationRow): WithoutLogo {
  return {
    client_id,
    name,
    mode,
    redirect_uris,
    people,
    ...(requested_types === null ? {} : { requested_types }),
    ...(consent_days === null ? {} : { consent_days }),
    ...(frame_origins === null ? {} : { frame_origins }),
  };
}

function toClientKeys({ jwks, jwks_url }: ClientApplicationRow): ClientKeys | undefined {
  if (jwks) return { jwks };
  return jwks_url === null ? undefined : { jwks_url };
}

function toRegisteredClient(row: ClientApplicationRow): RegisteredClient {
  const previousEnd = previousSecretEnd(row);
  return {
    ...withoutLogo(row),
    ...(row.has_logo ? { logo: true } : {}),
    ...toClientKeys(row),
    ...(previousEnd === undefined ? {} : { previous_secret_expires_at: previousEnd }),
    ...(row.disabled_at === null ? {} : { disabled_at: row.disabled_at.toISOString() }),
    ...(row.deletion_at === null ? {} : { deletion_at: row.deletion_at.toISOString() }),
  };
}

/** Until when the secret before the last rotation works; undefined when it does not. */
function previousSecretEnd({ previous_secret_expires_at: end }: ClientApplicationRow): string | undefined {
  return end !== null && end.getTime() > Date.now() ? end.toISOString() : undefined;
}

/** At most one of the two columns is not NULL. */
function keyColumns(keys: ClientKeys | undefined): Pick<ClientApplicationRow, 'jwks' | 'jwks_url'> {
  return { jwks: keys?.jwks ?? null, jwks_url: keys?.jwks_url ?? null };
}

/** The columns of the given settings. */
function settingColumns({
  name,
  redirectUris,
  types,
  consentDays,
  people,
  logo,
  frameOrigins,
}: ClientSettings): Partial<
  Pick<
    ClientApplicationRow,
    'name' | 'redirect_uris' | 'requested_types' | 'consent_days' | 'people' | 'logo' | 'frame_origins'
  >
> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(redirectUris === undefined ? {} : { redirect_uris: redirectUris }),
    ...(people === undefined ? {} : { people }),
    ...(types === undefined ? {} : { requested_types: types === 'all' ? null : types }),
    ...(consentDays === undefined ? {} : { consent_days: consentDays === 'unlimited' ? null : consentDays }),
    ...(logo === undefined ? {} : { logo: logo === 'none' ? null : logo }),
    ...(frameOrigins === undefined ? {} : { frame_origins: frameOrigins === 'none' ? null : frameOrigins }),
  };
}

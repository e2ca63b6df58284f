import {
  type AuthenticatedClient,
  type ClientApplication,
  type ClientMode,
  type ClientSearch,
  type FoundClient,
  type TokenRevocation,
  maxClientsOfOrganisation,
  operatorPageSize,
} from '@tributary/contracts';
import { cursorSql, positionOfCursor } from '@tributary/service-kit';
import { type DataSource, In, Not, type Repository } from 'typeorm';
import type { JsonWebKeySet } from '../client-authentication/key-set';
import { revokeTokensOf } from '../revocation/revoke-by-operator';
import { type ClientApplicationRow, clientApplicationEntity } from './client-application-entity';
import { isClientId, newClientSecret, secretHash, secretMatches } from './client-credentials';
import type { ClientSettings } from './client-settings';
import { TemporarySecrets } from './temporary-secrets';

/** The public keys by which a client can authenticate instead of by its secret: a key set, or the URL of one. */
export type ClientKeys = { jwks: JsonWebKeySet; jwks_url?: never } | { jwks_url: string; jwks?: never };

/** Without the logo, which can be long. */
type WithoutLogo = Omit<ClientApplication, 'logo'>;

/** A client with its keys and its state, as the operator's commands print it. Times are ISO 8601. */
export type RegisteredClient = WithoutLogo &
  Partial<ClientKeys> & {
    /** Whether it has one. */
    logo?: true;
    organisation_id?: string;
    /** While the secret before the last rotation works. */
    previous_secret_expires_at?: string;
    disabled_at?: string;
    deletion_at?: string;
  };

type ListedClient = RegisteredClient & { created_at: string };

export interface NewClient extends ClientSettings {
  name: string;
  mode: ClientMode;
  redirectUris: string[];
  credentials: { clientId: string; clientSecret: string };
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

/** The organisation has as many clients as it can have. */
export class OrganisationFullError extends Error {
  constructor() {
    super(`an organisation can have ${maxClientsOfOrganisation} clients`);
    this.name = 'OrganisationFullError';
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

/** $1 to $3: text, mode and state, or NULL for all. $4 and $5: the time and the client_id before, or NULL. */
const selectPage = `
  SELECT client_id, ${cursorSql('client_id')} AS cursor FROM client_application
  WHERE ($1::text IS NULL OR position(lower($1) IN lower(concat_ws(' ', client_id, name, organisation_id))) > 0)
    AND ($2::text IS NULL OR mode = $2)
    AND ($3::text IS NULL OR $3 = CASE WHEN deletion_at IS NOT NULL THEN 'deleting'
      WHEN disabled_at IS NOT NULL THEN 'disabled' ELSE 'active' END)
    AND ($4::timestamptz IS NULL OR (created_at, client_id) < ($4, $5::text))
  ORDER BY created_at DESC, client_id DESC LIMIT ${operatorPageSize + 1}`;

const hourMs = 3_600_000;

/**
 * The registered client applications. Requests use `find`, for which a disabled client does not exist, `authenticate`
 * and `findKeys`.
 */
export class ClientApplications {
  readonly #clients: Repository<ClientApplicationRow>;

  readonly #temporarySecrets: TemporarySecrets;

  constructor(private readonly source: DataSource) {
    this.#clients = source.getRepository(clientApplicationEntity);
    this.#temporarySecrets = new TemporarySecrets(source);
  }

  async find(clientId: string): Promise<FoundClient | undefined> {
    const row = await this.#find(clientId);
    if (row?.disabled_at !== null) return undefined;
    return { ...withoutLogo(row), ...organisationOf(row), ...(row.has_logo ? await this.#logoOf(clientId) : {}) };
  }

  /** Returns the client of these credentials; undefined when they are wrong. */
  async authenticate(
    clientId: string,
    clientSecret: string,
  ): Promise<Omit<AuthenticatedClient, 'logo'> | 'disabled' | undefined> {
    if (!isClientId(clientId)) return undefined;
    const row = await this.#find(clientId);
    const previous = row && previousSecretEnd(row) ? row.previous_secret_sha256 : null;
    const matches = [row?.secret_sha256, previous ?? undefined].map((stored) => secretMatches(clientSecret, stored));
    const isOwn = matches.includes(true);
    // Also where there is no such client, which then takes the same time.
    const developer = isOwn ? undefined : await this.#temporarySecrets.developerOf(clientId, clientSecret);
    if (!row || (!isOwn && developer === undefined)) return undefined;
    if (row.disabled_at !== null) return 'disabled';
    return { ...withoutLogo(row), ...(developer === undefined ? {} : { developer }) };
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

  /** How many clients the organisation of a client has, itself among them; 0 when it is of none. */
  async countInOrganisationOf(clientId: string): Promise<number> {
    const organisation = (await this.#find(clientId))?.organisation_id ?? null;
    return organisation === null ? 0 : this.#clients.countBy({ organisation_id: organisation });
  }

  /** The client with the time of its registration, disabled or not; undefined when there is no such client. */
  async findListed(clientId: string): Promise<ListedClient | undefined> {
    const row = await this.#find(clientId);
    return row && toListedClient(row);
  }

  /** A page of all clients, newest first. */
  async page({ text, mode, state, after }: ClientSearch): Promise<{ entry: ListedClient[]; next?: string }> {
    const values = [text ?? null, mode ?? null, state ?? null, ...positionOfCursor(after)];
    const found = (await this.source.query(selectPage, values)) as { client_id: string; cursor: string }[];
    const shown = found.slice(0, operatorPageSize);
    const entry = await this.#clients.find({
      where: { client_id: In(shown.map(({ client_id }) => client_id)) },
      order: { created_at: 'DESC', client_id: 'DESC' },
    });
    const next = found.length > shown.length ? shown.at(-1)?.cursor : undefined;
    return { entry: entry.map(toListedClient), ...(next === undefined ? {} : { next }) };
  }

  /** Returns all clients, or those of an organisation, oldest first. */
  async list(organisation?: string): Promise<ListedClient[]> {
    const rows = await this.#clients.find({
      where: organisation === undefined ? {} : { organisation_id: organisation },
      order: { created_at: 'ASC', client_id: 'ASC' },
    });
    return rows.map(toListedClient);
  }

  /**
   * Registers a client. The call is idempotent: for an existing client with the same secret it updates the name, the
   * redirect URIs and, if given, the keys and the terms of consent.
   * @throws ClientIdTakenError when the client exists with another secret
   * @throws ClientModeFixedError when the client exists with another mode
   * @throws OrganisationFullError
   */
  async create({ mode, credentials, ...settings }: NewClient): Promise<ClientWithSecret> {
    const { clientId, clientSecret: secret } = credentials;
    const { name, redirectUris: redirect_uris } = settings;
    return this.#withSettings(clientId, settings, async (clients) => {
      await clients
        .createQueryBuilder()
        .insert()
        .values({ client_id: clientId, name, mode, redirect_uris, secret_sha256: secretHash(secret) })
        .orIgnore()
        .execute();
      const row = await clients.findOneBy({ client_id: clientId });
      if (!row || !secretMatches(secret, row.secret_sha256)) throw new ClientIdTakenError();
      if (row.mode !== mode) throw new ClientModeFixedError(row.mode);
      await clients.update({ client_id: clientId }, settingColumns(settings));
      return { ...toRegisteredClient(await clients.findOneByOrFail({ client_id: clientId })), client_secret: secret };
    });
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
   * Changes settings. Keys that are replaced or removed stop working at once. Returns undefined when there is no such
   * client.
   * @throws OrganisationFullError
   */
  async set(clientId: string, settings: ClientSettings): Promise<RegisteredClient | undefined> {
    await this.#withSettings(clientId, settings, (clients) =>
      clients.update({ client_id: clientId }, settingColumns(settings)),
    );
    return this.findRegistered(clientId);
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

  /**
   * Stores a client in one transaction.
   * @throws OrganisationFullError when the client would be one too many of its organisation
   */
  async #withSettings<T>(
    clientId: string,
    { organisation }: ClientSettings,
    store: (clients: Repository<ClientApplicationRow>) => Promise<T>,
  ): Promise<T> {
    return this.source.transaction(async (manager) => {
      const clients = manager.getRepository(clientApplicationEntity);
      if (organisation !== undefined && organisation !== 'none') {
        await manager.query("SELECT pg_advisory_xact_lock(hashtextextended('clients of organisation ' || $1, 0))", [
          organisation,
        ]);
        const others = await clients.countBy({ organisation_id: organisation, client_id: Not(clientId) });
        if (others >= maxClientsOfOrganisation) throw new OrganisationFullError();
      }
      return store(clients);
    });
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

function organisationOf({ organisation_id }: ClientApplicationRow): { organisation_id?: string } {
  return organisation_id === null ? {} : { organisation_id };
}

function toRegisteredClient(row: ClientApplicationRow): RegisteredClient {
  const previousEnd = previousSecretEnd(row);
  return {
    ...withoutLogo(row),
    ...(row.has_logo ? { logo: true } : {}),
    ...toClientKeys(row),
    ...organisationOf(row),
    ...(previousEnd === undefined ? {} : { previous_secret_expires_at: previousEnd }),
    ...(row.disabled_at === null ? {} : { disabled_at: row.disabled_at.toISOString() }),
    ...(row.deletion_at === null ? {} : { deletion_at: row.deletion_at.toISOString() }),
  };
}

function toListedClient(row: ClientApplicationRow): ListedClient {
  return { ...toRegisteredClient(row), created_at: row.created_at.toISOString() };
}

/** Until when the secret before the last rotation works; undefined when it does not. */
function previousSecretEnd({ previous_secret_expires_at: end }: ClientApplicationRow): string | undefined {
  return end !== null && end.getTime() > Date.now() ? end.toISOString() : undefined;
}

/** The columns of the given settings. At most one of `jwks` and `jwks_url` is not NULL. */
function settingColumns({
  name,
  redirectUris,
  types,
  consentDays,
  people,
  logo,
  frameOrigins,
  jwks,
  jwksUrl,
  organisation,
}: ClientSettings): Partial<ClientApplicationRow> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(redirectUris === undefined ? {} : { redirect_uris: redirectUris }),
    ...(people === undefined ? {} : { people }),
    ...(types === undefined ? {} : { requested_types: types === 'all' ? null : types }),
    ...(consentDays === undefined ? {} : { consent_days: consentDays === 'unlimited' ? null : consentDays }),
    ...(logo === undefined ? {} : { logo: logo === 'none' ? null : logo }),
    ...(frameOrigins === undefined ? {} : { frame_origins: frameOrigins === 'none' ? null : frameOrigins }),
    ...keyColumns(jwks, jwksUrl),
    ...(organisation === undefined ? {} : { organisation_id: organisation === 'none' ? null : organisation }),
  };
}

/** A key set takes the place of a URL, and a URL that of a key set. */
function keyColumns(
  jwks: ClientSettings['jwks'],
  jwksUrl: ClientSettings['jwksUrl'],
): Partial<Pick<ClientApplicationRow, 'jwks' | 'jwks_url'>> {
  if (jwks !== undefined && jwks !== 'none') return { jwks, jwks_url: null };
  if (jwksUrl !== undefined && jwksUrl !== 'none') return { jwks: null, jwks_url: jwksUrl };
  return { ...(jwks === 'none' ? { jwks: null } : {}), ...(jwksUrl === 'none' ? { jwks_url: null } : {}) };
}

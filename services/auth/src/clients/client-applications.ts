import type { ClientApplication, ClientMode, TokenRevocation } from '@tributary/contracts';
import type { DataSource, Repository } from 'typeorm';
import type { JsonWebKeySet } from '../client-authentication/key-set';
import { type ClientApplicationRow, clientApplicationEntity } from './client-application-entity';
import type { ConsentOptions } from './consent-options';
import { isClientId, newClientId, newClientSecret, secretHash, secretMatches } from './client-credentials';

/** The public keys by which a client can authenticate instead of by its secret: a key set, or the URL of one. */
export type ClientKeys = { jwks: JsonWebKeySet; jwks_url?: never } | { jwks_url: string; jwks?: never };

/** A client with its keys, as the operator's commands print it. `disabled_at` is absent unless it is disabled. */
export type RegisteredClient = ClientApplication & Partial<ClientKeys> & { disabled_at?: string };

/** Input of `create`. Without credentials, new ones are generated. */
export interface NewClient {
  name: string;
  mode: ClientMode;
  redirectUris: string[];
  credentials?: { clientId: string; clientSecret: string };
  keys?: ClientKeys;
  consent?: ConsentOptions;
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
 * services remove the tokens of the client from their caches.
 */
const disable = `
  WITH disabled AS (
    UPDATE client_application SET disabled_at = coalesce(disabled_at, now()) WHERE client_id = $1 RETURNING client_id
  )
  INSERT INTO revocation_outbox (message) SELECT $2::jsonb FROM disabled`;

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
    return row?.disabled_at === null ? toClientApplication(row) : undefined;
  }

  /** Returns the client of these credentials; undefined when they are wrong. */
  async authenticate(clientId: string, clientSecret: string): Promise<ClientApplication | 'disabled' | undefined> {
    const row = await this.#find(clientId);
    if (!secretMatches(clientSecret, row?.secret_sha256) || !row) return undefined;
    return row.disabled_at === null ? toClientApplication(row) : 'disabled';
  }

  /** Returns the registered keys of a client; undefined when there are none, or no such client. */
  async findKeys(clientId: string): Promise<ClientKeys | 'disabled' | undefined> {
    const row = await this.#find(clientId);
    if (!row) return undefined;
    return row.disabled_at === null ? toClientKeys(row) : 'disabled';
  }

  /** Whether there is such a client, disabled or not. */
  async exists(clientId: string): Promise<boolean> {
    return (await this.#find(clientId)) !== undefined;
  }

  /** Returns all clients, oldest first. */
  async list(): Promise<(RegisteredClient & { created_at: string })[]> {
    const rows = await this.#clients.find({ order: { created_at: 'ASC', client_id: 'ASC' } });
    return rows.map((row) => ({ ...toRegisteredClient(row), created_at: row.created_at.toISOString() }));
  }

  /**
   * Registers a client. With given credentials the call is idempotent: for an existing client with the same secret it
   * updates the name, the redirect URIs and, if given, the keys and the terms of consent.
   * @throws ClientIdTakenError when the client exists with another secret
   * @throws ClientModeFixedError when the client exists with another mode
   */
  async create({ name, mode, redirectUris, credentials, keys, consent = {} }: NewClient): Promise<ClientWithSecret> {
    const clientId = credentials?.clientId ?? newClientId(mode);
    const secret = credentials?.clientSecret ?? newClientSecret(mode);
    const application = {
      client_id: clientId,
      name,
      mode,
      redirect_uris: redirectUris,
      people: consent.people ?? 'one',
    };
    await this.#clients
      .createQueryBuilder()
      .insert()
      .values({ ...application, secret_sha256: secretHash(secret) })
      .orIgnore()
      .execute();
    const row = await this.#find(clientId);
    if (!row || !secretMatches(secret, row.secret_sha256)) throw new ClientIdTakenError();
    if (row.mode !== mode) throw new ClientModeFixedError(row.mode);
    await this.#clients.update(
      { client_id: clientId },
      { name, redirect_uris: redirectUris, ...(keys ? keyColumns(keys) : {}), ...consentColumns(consent) },
    );
    const stored = await this.#find(clientId);
    return { ...(stored ? toRegisteredClient(stored) : application), client_secret: secret };
  }

  /** Replaces the secret; the old one stops working at once. Returns undefined when there is no such client. */
  async rotateSecret(clientId: string): Promise<ClientWithSecret | undefined> {
    const row = await this.#find(clientId);
    if (!row) return undefined;
    const secret = newClientSecret(row.mode);
    await this.#clients.update({ client_id: clientId }, { secret_sha256: secretHash(secret) });
    return { ...toRegisteredClient(row), client_secret: secret };
  }

  /**
   * Replaces or removes the keys; the old ones stop working at once. Returns undefined when there is no such client.
   */
  async setKeys(clientId: string, keys: ClientKeys | undefined): Promise<RegisteredClient | undefined> {
    await this.#clients.update({ client_id: clientId }, keyColumns(keys));
    const row = await this.#find(clientId);
    return row && toRegisteredClient(row);
  }

  /** Changes the terms of consent of later connects. Returns undefined when there is no such client. */
  async setConsent(clientId: string, consent: ConsentOptions): Promise<RegisteredClient | undefined> {
    await this.#clients.update({ client_id: clientId }, consentColumns(consent));
    const row = await this.#find(clientId);
    return row && toRegisteredClient(row);
  }

  /**
   * Disables a client: its credentials, codes and tokens stop working at once. They are kept, and work again after
   * `enable` unless they have expired. Returns undefined when there is no such client.
   */
  async disable(clientId: string): Promise<RegisteredClient | undefined> {
    await this.source.query(disable, [clientId, JSON.stringify({ client_id: clientId } satisfies TokenRevocation)]);
    const row = await this.#find(clientId);
    return row && toRegisteredClient(row);
  }

  /** Enables a disabled client again. Returns undefined when there is no such client. */
  async enable(clientId: string): Promise<RegisteredClient | undefined> {
    await this.#clients.update({ client_id: clientId }, { disabled_at: null });
    const row = await this.#find(clientId);
    return row && toRegisteredClient(row);
  }

  async #find(clientId: string): Promise<ClientApplicationRow | undefined> {
    if (!isClientId(clientId)) return undefined;
    return (await this.#clients.findOneBy({ client_id: clientId })) ?? undefined;
  }
}

function toClientApplication({
  client_id,
  name,
  mode,
  redirect_uris,
  requested_types,
  consent_days,
  people,
}: ClientApplicationRow): ClientApplication {
  return {
    client_id,
    name,
    mode,
    redirect_uris,
    people,
    ...(requested_types === null ? {} : { requested_types }),
    ...(consent_days === null ? {} : { consent_days }),
  };
}

function toClientKeys({ jwks, jwks_url }: ClientApplicationRow): ClientKeys | undefined {
  if (jwks) return { jwks };
  return jwks_url === null ? undefined : { jwks_url };
}

function toRegisteredClient(row: ClientApplicationRow): RegisteredClient {
  return {
    ...toClientApplication(row),
    ...toClientKeys(row),
    ...(row.disabled_at === null ? {} : { disabled_at: row.disabled_at.toISOString() }),
  };
}

/** At most one of the two columns is not NULL. */
function keyColumns(keys: ClientKeys | undefined): Pick<ClientApplicationRow, 'jwks' | 'jwks_url'> {
  return { jwks: keys?.jwks ?? null, jwks_url: keys?.jwks_url ?? null };
}

/** The columns of the given terms. */
function consentColumns({
  types,
  consentDays,
  people,
}: ConsentOptions): Partial<Pick<ClientApplicationRow, 'requested_types' | 'consent_days' | 'people'>> {
  return {
    ...(people === undefined ? {} : { people }),
    ...(types === undefined ? {} : { requested_types: types === 'all' ? null : types }),
    ...(consentDays === undefined ? {} : { consent_days: consentDays === 'unlimited' ? null : consentDays }),
  };
}

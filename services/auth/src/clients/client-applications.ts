import type { ClientApplication } from '@tributary/contracts';
import type { DataSource, Repository } from 'typeorm';
import type { JsonWebKeySet } from '../assertions/key-set';
import { type ClientApplicationRow, clientApplicationEntity } from './client-application-entity';
import { isClientId, newClientId, newClientSecret, secretHash, secretMatches } from './client-credentials';

/** Where the public keys of a client are, with which it can authenticate instead of with its secret: here, or at its own address. */
export type ClientKeys = { jwks: JsonWebKeySet; jwks_url?: never } | { jwks_url: string; jwks?: never };

/** A client as operators see it. */
export type RegisteredClient = ClientApplication & Partial<ClientKeys>;

/** What an operator decides about a new client. Without credentials, new ones are made. */
export interface NewClient {
  name: string;
  redirectUris: string[];
  credentials?: { clientId: string; clientSecret: string };
  keys?: ClientKeys;
}

/** A client together with its secret, which can be shown this once. */
export type ClientWithSecret = RegisteredClient & { client_secret: string };

/** The wanted client_id belongs to a client with another secret. */
export class ClientIdTakenError extends Error {
  constructor() {
    super('this client_id is taken by a client with another secret');
    this.name = 'ClientIdTakenError';
  }
}

/** The client applications that this service knows. */
export class ClientApplications {
  readonly #clients: Repository<ClientApplicationRow>;

  constructor(source: DataSource) {
    this.#clients = source.getRepository(clientApplicationEntity);
  }

  async find(clientId: string): Promise<ClientApplication | undefined> {
    const row = await this.#row(clientId);
    return row && toClientApplication(row);
  }

  /** The client these credentials belong to, or undefined when they are wrong. */
  async authenticate(clientId: string, clientSecret: string): Promise<ClientApplication | undefined> {
    const row = await this.#row(clientId);
    return secretMatches(clientSecret, row?.secret_sha256) && row ? toClientApplication(row) : undefined;
  }

  /** The keys that are registered for a client; undefined when there are none, or no such client. */
  async keysOf(clientId: string): Promise<ClientKeys | undefined> {
    const row = await this.#row(clientId);
    return row && toClientKeys(row);
  }

  /** All clients, oldest first. */
  async list(): Promise<(RegisteredClient & { created_at: string })[]> {
    const rows = await this.#clients.find({ order: { created_at: 'ASC', client_id: 'ASC' } });
    return rows.map((row) => ({ ...toRegisteredClient(row), created_at: row.created_at.toISOString() }));
  }

  /**
   * Registers a client. With given credentials it may be there already: the same secret then brings its name, its addresses and,
   * if given, its keys up to date, so that a start script can run twice.
   * @throws ClientIdTakenError when the client is there with another secret
   */
  async create({ name, redirectUris, credentials, keys }: NewClient): Promise<ClientWithSecret> {
    const clientId = credentials?.clientId ?? newClientId();
    const secret = credentials?.clientSecret ?? newClientSecret();
    const wanted = { client_id: clientId, name, redirect_uris: redirectUris };
    await this.#clients
      .createQueryBuilder()
      .insert()
      .values({ ...wanted, secret_sha256: secretHash(secret) })
      .orIgnore()
      .execute();
    const row = await this.#row(clientId);
    if (!secretMatches(secret, row?.secret_sha256)) throw new ClientIdTakenError();
    await this.#clients.update(
      { client_id: clientId },
      { name, redirect_uris: redirectUris, ...(keys ? keyColumns(keys) : {}) },
    );
    return { ...wanted, ...keys, client_secret: secret };
  }

  /** Gives the client a new secret; the old one stops working at once. Undefined when there is no such client. */
  async rotateSecret(clientId: string): Promise<ClientWithSecret | undefined> {
    const secret = newClientSecret();
    await this.#clients.update({ client_id: clientId }, { secret_sha256: secretHash(secret) });
    const row = await this.#row(clientId);
    return row && { ...toRegisteredClient(row), client_secret: secret };
  }

  /** Gives the client other keys, or none; those before stop working at once. Undefined when there is no such client. */
  async setKeys(clientId: string, keys: ClientKeys | undefined): Promise<RegisteredClient | undefined> {
    await this.#clients.update({ client_id: clientId }, keyColumns(keys));
    const row = await this.#row(clientId);
    return row && toRegisteredClient(row);
  }

  async #row(clientId: string): Promise<ClientApplicationRow | undefined> {
    if (!isClientId(clientId)) return undefined;
    return (await this.#clients.findOneBy({ client_id: clientId })) ?? undefined;
  }
}

function toClientApplication({ client_id, name, redirect_uris }: ClientApplicationRow): ClientApplication {
  return { client_id, name, redirect_uris };
}

function toClientKeys({ jwks, jwks_url }: ClientApplicationRow): ClientKeys | undefined {
  if (jwks) return { jwks };
  return jwks_url === null ? undefined : { jwks_url };
}

function toRegisteredClient(row: ClientApplicationRow): RegisteredClient {
  return { ...toClientApplication(row), ...toClientKeys(row) };
}

/** Of the two columns at most one is filled. */
function keyColumns(keys: ClientKeys | undefined): Pick<ClientApplicationRow, 'jwks' | 'jwks_url'> {
  return { jwks: keys?.jwks ?? null, jwks_url: keys?.jwks_url ?? null };
}

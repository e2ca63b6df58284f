import { type ListedRegistration, normalizedBase, registrationPatterns } from '@tributary/contracts';
import { type DataSource, EntitySchema, In, type Repository } from 'typeorm';
import type { DataKeys } from '../database/data-keys';

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** `token_endpoint_auth_method` of our client (RFC 7591, section 2). */
export type AuthMethod = (typeof authMethods)[number];

/** The registration of our client at one health system, or at all health systems on a vendor's host. */
export interface Registration {
  registrationId: string;
  matches: 'fhir_base' | 'host';
  /** A FHIR base URL without a slash at its end; or a host, `host:port`, or `*.domain`. */
  pattern: string;
  clientId: string;
  clientSecretSealed: Buffer | null;
  authMethod: AuthMethod;
  scopes: string | null;
  /** The last segment of our redirect_uri at the health system; null for the one that registrations share. */
  callback: string | null;
  changedAt: Date;
}

export const registrationEntity = new EntitySchema<Registration>({
  name: 'Registration',
  tableName: 'registration',
  columns: {
    registrationId: { name: 'registration_id', type: 'uuid', primary: true, generated: 'uuid' },
    matches: { type: 'text' },
    pattern: { type: 'text' },
    clientId: { name: 'client_id', type: 'text' },
    clientSecretSealed: { name: 'client_secret_sealed', type: 'bytea', nullable: true },
    authMethod: { name: 'auth_method', type: 'text' },
    scopes: { type: 'text', nullable: true },
    callback: { type: 'text', nullable: true },
    changedAt: { name: 'changed_at', type: 'timestamptz', updateDate: true },
  },
  uniques: [{ columns: ['matches', 'pattern'] }],
});

/** A registration with its secret in plain text. */
export interface ClientRegistration {
  clientId: string;
  clientSecret: string | undefined;
  authMethod: AuthMethod;
  scopes: string | undefined;
  /** Of our client at the health system. */
  redirectUri: string;
}

export interface RegistrationData extends Omit<ClientRegistration, 'redirectUri'> {
  matches: Registration['matches'];
  pattern: string;
  /** Null: the address that registrations share; undefined: unchanged, and null for a new registration. */
  callback: string | null | undefined;
}

/** The table of registrations, which the operator maintains by command. Vendors differ in data, never in code. */
export class Registrations {
  readonly #registrations: Repository<Registration>;

  /** @param baseUrl the public base URL of this service */
  constructor(
    database: DataSource,
    private readonly keys: DataKeys,
    private readonly baseUrl: string,
  ) {
    this.#registrations = database.getRepository(registrationEntity);
  }

  /**
   * Adds a registration, or replaces the one of the same FHIR base or host.
   * @returns its redirect_uri
   */
  async set(registration: RegistrationData): Promise<string> {
    const { matches, pattern, clientId, clientSecret, authMethod, scopes, callback } = registration;
    const name = normalizedBase(pattern);
    const sealed =
      clientSecret === undefined
        ? null
        : (await this.keys.of('registrations')).sealText(clientSecret, associatedData(matches, name));
    await this.#registrations.upsert(
      {
        matches,
        pattern: name,
        clientId,
        clientSecretSealed: sealed,
        authMethod,
        scopes: scopes ?? null,
        ...(callback === undefined ? {} : { callback }),
        changedAt: new Date(),
      },
      ['matches', 'pattern'],
    );
    const { callback: kept } = await this.#registrations.findOneByOrFail({ matches, pattern: name });
    return this.redirectUri(kept);
  }

  list(): Promise<Registration[]> {
    return this.#registrations.find({ order: { matches: 'ASC', pattern: 'ASC' } });
  }

  /** All registrations as an operator sees them, without their secrets. */
  async listWithoutSecrets(): Promise<ListedRegistration[]> {
    return (await this.list()).map(({ matches, pattern, clientId, authMethod, scopes, callback }) => ({
      matches,
      pattern,
      client_id: clientId,
      auth_method: authMethod,
      redirect_uri: this.redirectUri(callback),
      ...(scopes ? { scopes } : {}),
    }));
  }

  async remove(matches: Registration['matches'], pattern: string): Promise<boolean> {
    return (await this.#registrations.delete({ matches, pattern: normalizedBase(pattern) })).affected === 1;
  }

  /**
   * The most specific registration for a FHIR base: of the base itself, its host with port, its host, or one of its
   * domains.
   */
  async find(fhirBaseUrl: string): Promise<ClientRegistration | undefined> {
    const candidates = registrationPatterns(fhirBaseUrl);
    const found = await this.#registrations.findBy({ pattern: In(candidates) });
    const [best] = found.sort((one, other) => candidates.indexOf(one.pattern) - candidates.indexOf(other.pattern));
    if (!best) return undefined;
    const { matches, pattern, clientId, clientSecretSealed, authMethod, scopes, callback } = best;
    const clientSecret = clientSecretSealed
      ? (await this.keys.of('registrations')).openText(clientSecretSealed, associatedData(matches, pattern))
      : undefined;
    return { clientId, clientSecret, authMethod, scopes: scopes ?? undefined, redirectUri: this.redirectUri(callback) };
  }

  /**
   * Our redirect_uri at a health system, or the one that registrations share. One of its own tells apart which health
   * system has sent a browser back (RFC 9700, section 4.4.2.2).
   */
  redirectUri(callback: string | null | undefined): string {
    return `${this.baseUrl}/connect/callback${callback ? `/${callback}` : ''}`;
  }
}

function associatedData(matches: string, pattern: string): string {
  return `registration ${matches} ${pattern} client_secret`;
}

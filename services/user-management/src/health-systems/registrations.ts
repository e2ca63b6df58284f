import type { ScopedKeys } from '@tributary/key-vault';
import { type DataSource, In, type Repository } from 'typeorm';
import { type AuthMethod, type Registration, registrationEntity } from './registration';

/** A registration with its secret readable. */
export interface ClientRegistration {
  clientId: string;
  clientSecret: string | undefined;
  authMethod: AuthMethod;
  scopes: string | undefined;
}

export interface RegistrationData extends ClientRegistration {
  matches: Registration['matches'];
  pattern: string;
}

const scope = 'registrations';

/** The registrations of our client, which the operator keeps (`admin.ts`). Vendors differ in data, never in code. */
export class Registrations {
  readonly #registrations: Repository<Registration>;

  constructor(
    source: DataSource,
    private readonly keys: ScopedKeys,
  ) {
    this.#registrations = source.getRepository(registrationEntity);
  }

  /** Adds a registration, or replaces the one of the same FHIR base or host. */
  async set({ matches, pattern, clientId, clientSecret, authMethod, scopes }: RegistrationData): Promise<void> {
    const name = normalized(pattern);
    const sealed =
      clientSecret === undefined
        ? null
        : (await this.keys.keyFor(scope)).sealText(clientSecret, associatedData(matches, name));
    await this.#registrations.upsert(
      {
        matches,
        pattern: name,
        clientId,
        clientSecretSealed: sealed,
        authMethod,
        scopes: scopes ?? null,
        changedAt: new Date(),
      },
      ['matches', 'pattern'],
    );
  }

  list(): Promise<Registration[]> {
    return this.#registrations.find({ order: { matches: 'ASC', pattern: 'ASC' } });
  }

  /** @returns whether there was one */
  async remove(matches: Registration['matches'], pattern: string): Promise<boolean> {
    return (await this.#registrations.delete({ matches, pattern: normalized(pattern) })).affected === 1;
  }

  /** Our client at the health system of this FHIR base: the registration of the base itself, else of its host with port, its host, its domains. */
  async find(fhirBaseUrl: string): Promise<ClientRegistration | undefined> {
    const candidates = patternsFor(fhirBaseUrl);
    const found = await this.#registrations.findBy({ pattern: In(candidates) });
    const [best] = found.sort((one, other) => candidates.indexOf(one.pattern) - candidates.indexOf(other.pattern));
    if (!best) return undefined;
    const { matches, pattern, clientId, clientSecretSealed, authMethod, scopes } = best;
    const clientSecret = clientSecretSealed
      ? (await this.keys.keyFor(scope)).openText(clientSecretSealed, associatedData(matches, pattern))
      : undefined;
    return { clientId, clientSecret, authMethod, scopes: scopes ?? undefined };
  }
}

/** What a registration may be filed under to apply to this FHIR base, the most specific first. */
export function patternsFor(fhirBaseUrl: string): string[] {
  const { host, hostname } = new URL(fhirBaseUrl);
  const labels = hostname.split('.');
  const domains = labels.slice(1, -1).map((_label, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [normalized(fhirBaseUrl), host, hostname, ...domains];
}

/** Scheme and host do not depend on case, paths do; a slash at the end is no difference. */
function normalized(pattern: string): string {
  const [, origin, path] = /^(https?:\/\/[^/]*)(.*)$/i.exec(pattern) ?? [];
  return origin === undefined ? pattern.toLowerCase() : origin.toLowerCase() + (path ?? '').replace(/\/+$/, '');
}

function associatedData(matches: string, pattern: string): string {
  return `registration ${matches} ${pattern} client_secret`;
}

import { type ClientRegistration, InternalCallError, type ManagedClient } from '@tributary/contracts';
import type { ConsoleOptions } from '../src/developer-console/dependencies';

type Auth = ConsoleOptions['auth'];

/** What auth has of clients. */
export class FakeClients implements Auth {
  readonly clients: ManagedClient[] = [];
  readonly created: ClientRegistration[] = [];
  /** The temporary secrets that work, with whom they name. */
  readonly secrets = new Map<string, { clientId: string; developer: string }>();
  /** How long new secrets work, in milliseconds. */
  secretLifeMs = 300_000;
  #count = 0;

  add(organisation: string | undefined): ManagedClient {
    const client: ManagedClient = {
      client_id: `test-${++this.#count}`,
      name: 'Better Sleep',
      mode: 'test',
      redirect_uris: ['https://app.example/'],
      people: 'one',
      ...(organisation === undefined ? {} : { organisation_id: organisation }),
    };
    this.clients.push(client);
    return client;
  }

  findClient(id: string): ReturnType<Auth['findClient']> {
    const { logo: _logo, ...found } = this.clients.find(({ client_id }) => client_id === id) ?? {};
    return Promise.resolve('client_id' in found ? found : undefined);
  }

  clientsOfOrganisation(id: string): ReturnType<Auth['clientsOfOrganisation']> {
    const created_at = '2026-01-01T00:00:00.000Z';
    return Promise.resolve(
      this.clients.filter(({ organisation_id }) => organisation_id === id).map((client) => ({ ...client, created_at })),
    );
  }

  async createClient(registration: ClientRegistration): ReturnType<Auth['createClient']> {
    await Promise.resolve();
    if (registration.redirect_uris.some((uri) => uri.startsWith('http:')))
      throw new InternalCallError(
        'auth',
        400,
        'invalid_request',
        'auth refused it: redirect_uris.0: must be https',
        undefined,
        'redirect_uris.0: must be https',
      );
    this.created.push(registration);
    return { ...this.add(registration.organisation_id), client_secret: 'a secret' };
  }

  createTemporarySecret(clientId: string, developer: string): ReturnType<Auth['createTemporarySecret']> {
    const secret = `secret-${++this.#count}`;
    this.secrets.set(secret, { clientId, developer });
    const expires_at = new Date(Date.now() + this.secretLifeMs).toISOString();
    return Promise.resolve({ client_secret: secret, expires_at });
  }
}

import { InternalCallError, type OperatedClient } from '@tributary/contracts';
import type { OperatorServices } from '../src/developer-console/operator/operator-services';
import type { FakeClients } from './fake-clients';

const created_at = '2026-01-01T00:00:00.000Z';

/** What other services answer to operators. */
export class FakeServices implements OperatorServices {
  /** What was asked, with what was sent. */
  readonly asked: unknown[][] = [];
  /** The services that do not answer. */
  readonly away = new Set<string>();

  constructor(private readonly ofClients: FakeClients) {}

  readonly clients: OperatorServices['clients'] = {
    list: (search) =>
      this.#answer('auth', ['list', search], () => ({
        entry: this.ofClients.clients.map((client) => ({ ...client, created_at })),
      })),
    find: (id) => this.#answer('auth', ['find', id], () => this.#client(id)),
    setDisabled: (id, change) =>
      this.#answer('auth', ['setDisabled', id, change], () => {
        const client = this.#client(id);
        if (client?.deletion_at !== undefined && !change.disabled)
          throw new InternalCallError('auth', 409, 'client_being_deleted', 'refused');
        return client && { ...client, ...(change.disabled ? { disabled_at: created_at } : {}) };
      }),
  };

  readonly connections: OperatorServices['connections'] = {
    countUsers: (id) => this.#answer('user-management', ['countUsers', id], () => ({ users: 7 })),
  };

  #client(id: string): OperatedClient | undefined {
    const client = this.ofClients.clients.find(({ client_id }) => client_id === id);
    return client && { ...client, created_at };
  }

  async #answer<T>(service: string, asked: unknown[], answer: () => T): Promise<T> {
    await Promise.resolve();
    this.asked.push(asked);
    if (this.away.has(service)) throw new InternalCallError(service, 0, 'not_connected', `${service} is away`);
    return answer();
  }
}

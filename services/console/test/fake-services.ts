import { once } from 'node:events';
import {
  type AuditVerificationLine,
  type CountedKeysStatus,
  InternalCallError,
  type OperatedClient,
  type RegistrationCheckStep,
} from '@tributary/contracts';
import type { OperatorServices } from '../src/developer-console/operator/operator-services';
import type { FakeClients } from './fake-clients';

const created_at = '2026-01-01T00:00:00.000Z';

const keysStatus: CountedKeysStatus = {
  versions: [{ id: '0123456789abcdef', state: 'current', keys: 3, origin: 'key 1 of the key file' }],
  unknown: [],
  not_noted: 0,
  counted_at: created_at,
};

/** What other services answer to operators. */
export class FakeServices implements OperatorServices {
  /** What was asked, with what was sent. */
  readonly asked: unknown[][] = [];
  /** The hosts that are paused, and why. */
  readonly paused = new Map<string, string>();
  /** Whether a verification of the audit log ends with its caller only. */
  isEndless = false;
  /** Whether another operator verifies the audit log. */
  isVerifying = false;
  /** The services that do not answer. */
  readonly away = new Set<string>();
  /** The services that answer with an error, and its status; 0: they do not answer in time. */
  readonly failing = new Map<string, number>();

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
    registrations: () =>
      this.#answer('user-management', ['registrations'], () => ({
        entry: [
          {
            matches: 'host' as const,
            pattern: '*.clinics.example',
            client_id: 'tributary',
            auth_method: 'private_key_jwt',
            redirect_uri: 'https://tributary.test/connect/callback',
          },
        ],
      })),
    checkRegistration: (check) => this.#steps(check),
    outcomes: (days) => this.#answer('user-management', ['outcomes', days], () => ({ days: Number(days), entry: [] })),
    pausedHosts: () =>
      this.#answer('user-management', ['pausedHosts'], () => ({
        entry: [...this.paused].map(([host, reason]) => ({ host, reason, paused_at: created_at, waiting: 3 })),
      })),
    pause: (pause) =>
      this.#answer('user-management', ['pause', pause], () => {
        this.paused.set(pause.host, pause.reason);
        return { hosts: [pause.host] };
      }),
    queue: () =>
      this.#answer('user-management', ['queue'], () => ({ jobs: null, hosts: [], connections: { active: 2 } })),
    resume: (resume) =>
      this.#answer('user-management', ['resume', resume], () =>
        this.paused.delete(resume.host) ? { hosts: [resume.host] } : undefined,
      ),
  };

  readonly services: OperatorServices['services'] = {
    auth: { read: () => this.#answer('auth', ['read'], () => ({ status: 'ready', version: '0.1.0', missing: [] })) },
    'fhir-store': {
      read: () =>
        this.#answer('fhir-store', ['read'], () => ({ status: 'not ready', version: '0.1.0', missing: ['database'] })),
    },
  };

  readonly audit: OperatorServices['audit'] = {
    state: () =>
      this.#answer('audit-log', ['state'], () => ({
        verification: { verified_at: null, counts: null, is_running: true, due_at: null, is_overdue: false },
        checkpoints: [],
        streams: [],
      })),
    verify: (verification, context) => this.#verification(verification, context?.signal),
  };

  readonly keys: OperatorServices['keys'] = {
    'user-management': { status: () => this.#answer('user-management', ['keys'], () => keysStatus) },
    'fhir-store': { status: () => this.#answer('fhir-store', ['keys'], () => keysStatus) },
    console: { status: () => this.#answer('console', ['keys'], () => keysStatus) },
  };

  readonly directory: OperatorServices['directory'] = {
    sources: () => this.#answer('search', ['sources'], () => ({ entry: [] })),
  };

  async *#verification(verification: object, signal?: AbortSignal): AsyncGenerator<AuditVerificationLine> {
    await this.#answer('audit-log', ['verify', verification], () => {
      if (this.isVerifying) throw new InternalCallError('audit-log', 409, 'verification_running', 'refused');
    });
    const counts = { streams: 1, blocks: 2, events: 3, checkpoints: 1, findings: 1 };
    yield { line: 'progress', ...counts, checkpoints: 0 };
    if (this.isEndless) {
      await once(signal!, 'abort');
      throw new InternalCallError('audit-log', 0, 'call_failed', 'audit-log has ended early');
    }
    yield { line: 'finding', problem: 'block changed', stream: 'a', block: 1, at: created_at };
    yield { line: 'result', ...counts };
  }

  async *#steps(check: object): AsyncGenerator<RegistrationCheckStep> {
    await this.#answer('user-management', ['checkRegistration', check], () => undefined);
    const of = { fhirVersion: 'r4', fhir_base_url: 'https://fhir.clinics.example/r4' } as const;
    yield { ...of, step: 'registration', result: 'ok', message: 'client_id tributary, private_key_jwt' };
    yield { ...of, step: 'metadata', result: 'failed', message: 'there is no response', advice: 'try again later' };
  }

  #client(id: string): OperatedClient | undefined {
    const client = this.ofClients.clients.find(({ client_id }) => client_id === id);
    return client && { ...client, created_at };
  }

  async #answer<T>(service: string, asked: unknown[], answer: () => T): Promise<T> {
    await Promise.resolve();
    this.asked.push(asked);
    if (this.away.has(service)) throw new InternalCallError(service, 0, 'not_connected', `${service} is away`);
    const status = this.failing.get(service);
    if (status !== undefined) throw new InternalCallError(service, status, 'call_failed', `${service} fails`);
    return answer();
  }
}

import { basename } from 'node:path';
import type { AuditKind, AuditTrail } from '@tributary/audit-log';
import { InternalHttp } from '@tributary/contracts';
import type { Logger } from 'pino';
import { type AuditSettings, type ProcessAuditTrail, openAuditTrail } from '../audit/open-audit-trail';
import { describeError } from '../api/handle-errors';
import { secretChanges } from '../config/rotating-secret';
import type { Secret } from '../config/secrets';
import { type TlsFiles, TlsIdentity } from '../transport/tls-identity';

export interface RuntimeSettings {
  /** The name of the service, with which it authenticates at others. */
  name: string;
  /** Absent in a service that calls no other. One from a file changes while the process runs. */
  serviceKey?: string | Secret | undefined;
  /** Absent when the services call each other over plain HTTP. */
  tls?: TlsFiles | undefined;
  /** Absent in a process without a database. */
  audit?: AuditSettings | undefined;
}

/** What every process of the suite has: its identity towards other services, and its audit trail. */
export class ServiceRuntime {
  readonly #secretChanged = (path: string): void => this.#recordChange('secret.changed', 'Secret', basename(path));

  private constructor(
    readonly settings: RuntimeSettings,
    readonly log: Logger,
    /** The certificate of the process; undefined without TLS. */
    readonly identity: TlsIdentity | undefined,
    private readonly trail: ProcessAuditTrail,
  ) {
    secretChanges.on('change', this.#secretChanged);
    identity?.changes.on('change', (id) => this.#recordChange('certificate.changed', 'Certificate', id));
  }

  /** @throws Error when the certificate cannot be used, or the database refuses the audit log */
  static async open(settings: RuntimeSettings, log: Logger): Promise<ServiceRuntime> {
    const identity = settings.tls && (await TlsIdentity.open(settings.tls, log));
    return new ServiceRuntime(settings, log, identity, await openAuditTrail(settings.name, settings.audit, log));
  }

  /** The HTTP client of calls to another service. */
  internalHttp(service: string, baseUrl: string): InternalHttp {
    const { name, serviceKey } = this.settings;
    if (serviceKey === undefined) throw new Error(`${name} calls ${service} and has no service key`);
    const { identity } = this;
    return new InternalHttp({
      service,
      baseUrl,
      caller: name,
      key: serviceKey,
      ...(identity ? { tls: () => identity.options() } : {}),
    });
  }

  /** Where the process records audit events. */
  get audit(): AuditTrail {
    return this.trail;
  }

  /** Called after the last event. */
  async close(): Promise<void> {
    secretChanges.off('change', this.#secretChanged);
    this.identity?.close();
    await this.trail.close();
  }

  /** Records what an operator has changed in the files of this process. */
  #recordChange(kind: AuditKind, type: string, id: string): void {
    const event = { kind, action: 'U', outcome: 'success', agent: { service: this.settings.name } } as const;
    this.trail
      .record({ ...event, entities: [{ type, id }] })
      .catch((error: unknown) => this.log.warn({ err: describeError(error), kind, id }, 'a change is not recorded'));
  }
}

import type { AuditTrail } from '@tributary/audit-log';
import { InternalHttp } from '@tributary/contracts';
import type { Logger } from 'pino';
import { type AuditSettings, type ProcessAuditTrail, openAuditTrail } from '../audit/open-audit-trail';
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
  private constructor(
    readonly settings: RuntimeSettings,
    readonly log: Logger,
    /** The certificate of the process; undefined without TLS. */
    readonly identity: TlsIdentity | undefined,
    private readonly trail: ProcessAuditTrail,
  ) {}

  /** @throws Error when the certificate cannot be used, or the database refuses the audit log */
  static async open(settings: RuntimeSettings, log: Logger): Promise<ServiceRuntime> {
    const identity = settings.tls && (await TlsIdentity.open(settings.tls, log));
    return new ServiceRuntime(settings, log, identity, await openAuditTrail(settings.name, settings.audit, log));
  }

  /**
   * The HTTP client of calls to another service.
   * @param timeoutMs the time limit of a call over all of its attempts, in milliseconds; 10,000 by default
   */
  internalHttp(service: string, baseUrl: string, timeoutMs?: number): InternalHttp {
    const { name, serviceKey } = this.settings;
    if (serviceKey === undefined) throw new Error(`${name} calls ${service} and has no service key`);
    const { identity } = this;
    return new InternalHttp({
      service,
      baseUrl,
      caller: name,
      key: serviceKey,
      ...(identity ? { tls: () => identity.options() } : {}),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  /** Where the process records audit events. */
  get audit(): AuditTrail {
    return this.trail;
  }

  /** Called after the last event. */
  async close(): Promise<void> {
    this.identity?.close();
    await this.trail.close();
  }
}

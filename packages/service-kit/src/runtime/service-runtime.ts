import { InternalHttp } from '@tributary/contracts';
import type { Logger } from 'pino';
import type { Secret } from '../config/secrets';
import { type TlsFiles, TlsIdentity } from '../transport/tls-identity';

export interface RuntimeSettings {
  /** The name of the service, with which it authenticates at others. */
  name: string;
  /** Absent in a service that calls no other. One from a file changes while the process runs. */
  serviceKey?: string | Secret | undefined;
  /** Absent when the services call each other over plain HTTP. */
  tls?: TlsFiles | undefined;
}

/** What every process of the suite has: its identity towards other services. */
export class ServiceRuntime {
  private constructor(
    readonly settings: RuntimeSettings,
    readonly log: Logger,
    /** The certificate of the process; undefined without TLS. */
    readonly identity: TlsIdentity | undefined,
  ) {}

  /** @throws Error when the certificate cannot be used */
  static async open(settings: RuntimeSettings, log: Logger): Promise<ServiceRuntime> {
    return new ServiceRuntime(settings, log, settings.tls && (await TlsIdentity.open(settings.tls, log)));
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

  close(): void {
    this.identity?.close();
  }
}

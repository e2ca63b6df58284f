import { type SecureContextOptions, rootCertificates } from 'node:tls';
import { GuardedHttp } from '@tributary/outbound';

/**
 * Where the public APIs are reached: the gateway. Its certificate can be of an authority of the suite, which is
 * replaced while the process runs, or of a well-known one.
 */
export class PublicApi {
  #tls: SecureContextOptions | undefined;
  #http: GuardedHttp;

  /** @param tls returns the authorities of the suite; another object after they were replaced */
  constructor(
    readonly url: string,
    private readonly tls: () => SecureContextOptions | undefined,
  ) {
    this.#tls = tls();
    this.#http = httpWith(this.#tls?.ca);
  }

  /** The HTTP client. Requests under way finish on the one before, whose idle connections the gateway closes. */
  get http(): GuardedHttp {
    const tls = this.tls();
    if (tls !== this.#tls) this.#http = httpWith(tls?.ca);
    this.#tls = tls;
    return this.#http;
  }
}

function httpWith(authorities: SecureContextOptions['ca']): GuardedHttp {
  return new GuardedHttp({
    // The configuration names the address.
    allowPrivateAddresses: true,
    keepAlive: { maxSockets: 256, maxFreeSockets: 16 },
    // The audit log shows by it which accesses were those of tools.
    userAgent: 'tributary-mcp',
    ...(authorities === undefined ? {} : { ca: [...rootCertificates, ...[authorities].flat()] }),
  });
}

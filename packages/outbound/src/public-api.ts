import { type SecureContextOptions, rootCertificates } from 'node:tls';
import { GuardedHttp } from './guarded-http';

/**
 * Where the public APIs are reached: the gateway. Its certificate can be of an authority of the suite, which is
 * replaced while the process runs, or of a well-known one.
 */
export class PublicApi {
  #tls: SecureContextOptions | undefined;
  #http: GuardedHttp;

  /**
   * @param tls returns the authorities of the suite; another object after they were replaced
   * @param userAgent by which the audit log tells accesses of this caller from others
   */
  constructor(
    readonly url: string,
    private readonly tls: () => SecureContextOptions | undefined,
    private readonly userAgent: string,
  ) {
    this.#tls = tls();
    this.#http = httpWith(this.#tls?.ca, userAgent);
  }

  /** The HTTP client. Requests under way finish on the one before, whose idle connections the gateway closes. */
  get http(): GuardedHttp {
    const tls = this.tls();
    if (tls !== this.#tls) this.#http = httpWith(tls?.ca, this.userAgent);
    this.#tls = tls;
    return this.#http;
  }
}

function httpWith(authorities: SecureContextOptions['ca'], userAgent: string): GuardedHttp {
  return new GuardedHttp({
    // The configuration names the address.
    allowPrivateAddresses: true,
    keepAlive: { maxSockets: 256, maxFreeSockets: 16 },
    userAgent,
    ...(authorities === undefined ? {} : { ca: [...rootCertificates, ...[authorities].flat()] }),
  });
}

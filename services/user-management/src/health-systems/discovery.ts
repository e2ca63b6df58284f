import { type HealthSystemEndpoint, fhirJsonMediaType, withoutFinalSlash } from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import type { OutboundHttp } from '../outbound/outbound-http';
import type { AuthorizationServer } from './authorization-server';
import { readConformanceStatement, readSmartConfiguration } from './discovery-documents';

export class DiscoveryFailed extends Error {
  constructor(reason: string) {
    super(`discovery failed: ${reason}`);
    this.name = 'DiscoveryFailed';
  }
}

/**
 * Discovers the authorization server of a FHIR endpoint: from `.well-known/smart-configuration`, or else from
 * `/metadata`. For DSTU2, `/metadata` is read first: most DSTU2 systems have only that. The URLs are returned byte for
 * byte, as some health systems depend on each slash, and may be on another host.
 * @param signal aborts all requests
 * @throws DiscoveryFailed
 * @see https://hl7.org/fhir/smart-app-launch/conformance.html
 */
export async function discover(
  http: OutboundHttp,
  { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
  signal?: AbortSignal,
): Promise<AuthorizationServer> {
  const base = withoutFinalSlash(fhir_base_url);
  const failures: string[] = [];
  const read = async (
    path: string,
    accept: string,
    parse: (text: string) => AuthorizationServer | undefined,
  ): Promise<AuthorizationServer | undefined> => {
    try {
      const { status, text } = await http.get(base + path, accept, signal);
      const server = status === 200 ? parse(text) : undefined;
      failures.push(`${path} responded with ${status}`);
      return server;
    } catch (error) {
      if (!(error instanceof OutboundRequestFailed)) throw error;
      failures.push(`${path}: ${error.message}`);
      return undefined;
    }
  };
  const wellKnown = (): Promise<AuthorizationServer | undefined> =>
    read('/.well-known/smart-configuration', 'application/json', readSmartConfiguration);
  const metadata = async (): Promise<AuthorizationServer | undefined> =>
    (await read('/metadata', fhirJsonMediaType[fhirVersion], readConformanceStatement)) ??
    (await read('/metadata', 'application/json', readConformanceStatement));
  const [first, second] = fhirVersion === 'dstu2' ? [metadata, wellKnown] : [wellKnown, metadata];
  const server = (await first()) ?? (await second());
  if (!server) throw new DiscoveryFailed(failures.join('; '));
  return withAbsoluteUrls(server, fhir_base_url);
}

/** Some health systems announce endpoints relative to the FHIR base. */
function withAbsoluteUrls(server: AuthorizationServer, fhirBaseUrl: string): AuthorizationServer {
  const absolute = (url: string): string => {
    if (/^https?:\/\//i.test(url)) return url;
    if (!URL.canParse(url, fhirBaseUrl)) throw new DiscoveryFailed('an endpoint is not a URL');
    return new URL(url, fhirBaseUrl).href;
  };
  const { authorizationEndpoint, tokenEndpoint, revocationEndpoint, userinfoEndpoint } = server;
  return {
    ...server,
    authorizationEndpoint: absolute(authorizationEndpoint),
    tokenEndpoint: absolute(tokenEndpoint),
    revocationEndpoint: revocationEndpoint && absolute(revocationEndpoint),
    userinfoEndpoint: userinfoEndpoint && absolute(userinfoEndpoint),
  };
}

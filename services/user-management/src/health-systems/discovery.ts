import type { FhirVersion, HealthSystemEndpoint } from '@tributary/contracts';
import { OutboundRequestFailed, type OutboundHttp } from '../outbound/outbound-http';
import type { AuthorizationServer } from './authorization-server';
import { readConformanceStatement } from './conformance-statement';
import { readSmartConfiguration } from './smart-configuration';

/** The FHIR endpoint does not say where to authorize. */
export class DiscoveryFailed extends Error {
  constructor(reason: string) {
    super(`discovery failed: ${reason}`);
    this.name = 'DiscoveryFailed';
  }
}

/** Some servers answer 406 to anything but the exact type of their release. */
const fhirJson: Record<FhirVersion, string> = {
  dstu2: 'application/json+fhir',
  stu3: 'application/fhir+json',
  r4: 'application/fhir+json',
};

/**
 * Finds the authorization server of a FHIR endpoint: `.well-known/smart-configuration` first, then `/metadata`; DSTU2 has only the latter.
 * The addresses found are kept to the letter, as some health systems depend on each slash, and may lie on another host.
 * @throws DiscoveryFailed
 */
export async function discover(
  http: OutboundHttp,
  { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
  signal?: AbortSignal,
): Promise<AuthorizationServer> {
  const base = fhir_base_url.replace(/\/+$/, '');
  const faults: string[] = [];
  const look = async (
    path: string,
    accept: string,
    read: (text: string) => AuthorizationServer | undefined,
  ): Promise<AuthorizationServer | undefined> => {
    try {
      const { status, text } = await http.get(base + path, accept, signal);
      const found = status === 200 ? read(text) : undefined;
      faults.push(`${path} answered ${status}`);
      return found;
    } catch (error) {
      if (!(error instanceof OutboundRequestFailed)) throw error;
      faults.push(`${path}: ${error.message}`);
      return undefined;
    }
  };
  const server =
    (fhirVersion === 'dstu2'
      ? undefined
      : await look('/.well-known/smart-configuration', 'application/json', readSmartConfiguration)) ??
    (await look('/metadata', fhirJson[fhirVersion], readConformanceStatement)) ??
    (await look('/metadata', 'application/json', readConformanceStatement));
  if (!server) throw new DiscoveryFailed(faults.join('; '));
  return resolved(server, fhir_base_url);
}

/** Some health systems write their endpoints relative to the FHIR base. */
function resolved(server: AuthorizationServer, fhirBaseUrl: string): AuthorizationServer {
  const absolute = (address: string): string => {
    if (/^https?:\/\//i.test(address)) return address;
    if (!URL.canParse(address, fhirBaseUrl)) throw new DiscoveryFailed('an endpoint is not an address');
    return new URL(address, fhirBaseUrl).href;
  };
  return {
    ...server,
    authorizationEndpoint: absolute(server.authorizationEndpoint),
    tokenEndpoint: absolute(server.tokenEndpoint),
    ...(server.revocationEndpoint === undefined ? {} : { revocationEndpoint: absolute(server.revocationEndpoint) }),
  };
}

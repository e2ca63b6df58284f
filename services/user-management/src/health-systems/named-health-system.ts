import type { DirectoryClient, FhirVersion, HealthSystemEndpoint } from '@tributary/contracts';

/** An operator names a health system that there is not. The message says what is wrong. */
export class HealthSystemNameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HealthSystemNameError';
  }
}

/**
 * The endpoints of a health system that is named by its id in the directory, or by a FHIR base URL.
 * @param release of a FHIR base URL
 * @throws HealthSystemNameError
 */
export async function endpointsOfNamed(
  find: DirectoryClient['findHealthSystem'],
  named: string,
  release: FhirVersion = 'r4',
): Promise<HealthSystemEndpoint[]> {
  if (/^https?:\/\//i.test(named) && URL.canParse(named)) return [{ fhirVersion: release, fhir_base_url: named }];
  if (!/^[1-9][0-9]{0,14}$/.test(named))
    throw new HealthSystemNameError('give the id of a health system, or a FHIR base URL');
  const found = await find(Number(named));
  if (!found) throw new HealthSystemNameError('the directory has no such health system');
  return found.endpoints;
}

/**
 * The hosts that an operator names: one host, or those of a health system by its id in the directory.
 * @param endpointsOf of the id
 */
export async function hostsOfNamed(
  named: string,
  endpointsOf: (id: string) => Promise<HealthSystemEndpoint[]>,
): Promise<string[]> {
  if (!/^\d+$/.test(named)) return [new URL(`https://${named}`).host];
  return [...new Set((await endpointsOf(named)).map(({ fhir_base_url }) => new URL(fhir_base_url).host))];
}

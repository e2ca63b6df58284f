import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The directory of the containers; its URLs have the origin of the sandbox there. */
const bundleFile = join('infra', 'compose', 'sandbox.brands.json');
const containerOrigin = 'http://sandbox-health-system:4004';

/**
 * The SMART User-access Brands bundle (https://hl7.org/fhir/smart-app-launch/brands.html) with one brand, the sandbox
 * in its three releases.
 * @param repository the root folder of the repository
 * @param sandboxUrl the origin of the sandbox
 * @returns JSON
 */
export function sandboxBrands(repository: string, sandboxUrl: string): string {
  return readFileSync(join(repository, bundleFile), 'utf8').replaceAll(containerOrigin, sandboxUrl);
}

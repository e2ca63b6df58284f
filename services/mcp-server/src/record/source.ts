import { metaSourceExtension, sourceAddressExtension } from '@tributary/contracts';
import { parseReference } from '@tributary/fhir-json';
import { type Node, nodesAt, textAt } from '../fhir/json';

/** From where a resource was collected. */
export interface Source {
  host: string;
  /** The same for the FHIR base URLs of one health system in all releases, and different for two on one host. */
  healthSystem: string;
}

/** Segments of a path that name a release of FHIR, such as those of `/api/FHIR/DSTU2` and `/r4/<tenant>`. */
const releaseSegment = /^(?:fhir-?)?(?:dstu-?2|stu-?3|r[234]|v?[134]\.0(?:\.\d)?)$/i;

/**
 * Where a resource was collected: an extension of `meta` has its address when the resource has a `meta.source` of its
 * own. Undefined when the application created the resource.
 */
export function sourceOf(resource: Node): Source | undefined {
  const extension = nodesAt(resource, 'meta', 'extension').findLast(
    ({ url }) => url === sourceAddressExtension || url === metaSourceExtension,
  );
  const address = textAt(extension, 'valueUri') ?? textAt(resource, 'meta', 'source');
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { host } = new URL(address);
  if (host === '') return undefined;
  const { pathname } = new URL(parseReference(address)?.base ?? '/', address);
  const segments = pathname.split('/').filter((segment) => segment !== '' && !releaseSegment.test(segment));
  return { host, healthSystem: [host, ...segments].join('/') };
}

import type { Capabilities, CapableType } from '../scenario';

type Parameters = NonNullable<CapableType['searchParam']>;

/** The capability statement with other search parameters of the searchable types. */
export function withSearchParameters(
  document: Capabilities,
  declare: (type: string, declared: Parameters) => Parameters,
): Capabilities {
  return withTypes(document, (resource) =>
    resource.searchParam ? { ...resource, searchParam: declare(resource.type, resource.searchParam) } : resource,
  );
}

export function withTypes(document: Capabilities, change: (resource: CapableType) => CapableType): Capabilities {
  return { ...document, rest: document.rest.map((rest) => ({ ...rest, resource: rest.resource.map(change) })) };
}

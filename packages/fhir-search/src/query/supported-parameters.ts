import { searchParameters, type Release, type SearchParameter } from '@tributary/fhir-definitions';

/** Supported search parameters that have no paths. */
const pathless: ReadonlySet<string> = new Set(['_text', '_content']);

/** The search parameters of a type that are supported, for the CapabilityStatement. */
export function supportedParameters(release: Release, type: string): SearchParameter[] {
  return [...searchParameters(release, type).values()].filter(isSupported);
}

/** Whether searches by a parameter are supported. */
export function isSupported({ code, paths, components }: SearchParameter): boolean {
  return paths.length > 0 || components.length > 0 || pathless.has(code);
}

import type { Release } from '@tributary/fhir-definitions';
import { supportedParameters } from './supported-parameters';

const maxNames = 3;

/**
 * The search parameters of a type that a client may have meant by an unknown name, as the end of a message: those that
 * differ in case and hyphens only, or begin with the name, such as `onset-date` for `onset`.
 */
export function similarNames(release: Release, types: readonly string[], name: string): string {
  const [type] = types;
  const wanted = plain(name);
  if (type === undefined || types.length > 1 || wanted === '') return '';
  const codes = supportedParameters(release, type).map(({ code }) => code);
  const equal = codes.filter((code) => plain(code) === wanted);
  const similar = equal.length > 0 ? equal : codes.filter((code) => code.startsWith(`${name}-`));
  return similar.length === 0 ? '' : `; similar: ${similar.slice(0, maxNames).join(', ')}`;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

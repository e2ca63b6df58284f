import type { JsonObject } from '@tributary/fhir-json';
import { renamedResourceTypes } from '../code-maps/resource-types';
import type { Run } from './run';

/** The end of an absolute reference: Type/id, perhaps with a version, or the query of a conditional reference. */
const END_OF_ABSOLUTE =
  /\/([A-Z][A-Za-z]{1,63})(?:\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?(?:#\S*)?|\?\S+)$/;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const TYPE = /^[A-Z][A-Za-z]{1,63}(?=[/?])/;

/** The reference under the type's name in R4; undefined where R4 has no such type. An absolute reference leads to another server and stays as it is. */
export function relocated(reference: string, isR4Type: (type: string) => boolean): string | undefined {
  const type = TYPE.exec(reference)?.[0];
  if (type === undefined || isR4Type(type)) return reference;
  const renamed = renamedResourceTypes[type];
  return renamed === undefined ? undefined : renamed + reference.slice(type.length);
}

/** True when a converted reference may stand in an R4 element that allows these types, as far as the reference tells its type. */
export function pointsTo(
  reference: JsonObject,
  allowed: ReadonlySet<string>,
  isR4Type: (type: string) => boolean,
  run: Run,
): boolean {
  const text = reference['reference'];
  if (typeof text !== 'string') return true;
  const type = text.startsWith('#')
    ? run.contained.types.get(text.slice(1))
    : ABSOLUTE.test(text)
      ? END_OF_ABSOLUTE.exec(text)?.[1]
      : TYPE.exec(text)?.[0];
  return type === undefined || !isR4Type(type) || allowed.has(type);
}

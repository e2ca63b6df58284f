import { parseReference, type JsonObject } from '@tributary/fhir-json';
import { renamedResourceTypes } from '../code-maps/resource-types';
import type { Context } from './context';

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const TYPE = /^[A-Z][A-Za-z]{1,63}(?=[/?])/;

/**
 * A relative reference with the type's name in R4, or undefined when R4 does not have the type. Absolute references are
 * not changed.
 */
export function referenceInR4(reference: string, isR4Type: (type: string) => boolean): string | undefined {
  const type = TYPE.exec(reference)?.[0];
  if (type === undefined || isR4Type(type)) return reference;
  const renamed = renamedResourceTypes.get(type);
  return renamed === undefined ? undefined : renamed + reference.slice(type.length);
}

/**
 * Whether an R4 element that allows these types can have a converted reference. A reference without a type is allowed.
 */
export function isAllowedTarget(
  reference: JsonObject,
  allowed: ReadonlySet<string>,
  isR4Type: (type: string) => boolean,
  context: Context,
): boolean {
  const text = reference['reference'];
  if (typeof text !== 'string') return true;
  const type = text.startsWith('#')
    ? context.contained.types.get(text.slice(1))
    : ABSOLUTE.test(text)
      ? parseReference(text)?.type
      : TYPE.exec(text)?.[0];
  return type === undefined || !isR4Type(type) || allowed.has(type);
}

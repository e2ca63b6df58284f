import { numberedTypes } from './numbered-types';

const numbers = new Map(numberedTypes.map((type, index) => [type, index + 1]));

/**
 * The number of a resource type in stored rows. It is the same in every release and never changes.
 * @throws RangeError for a type that no release has
 */
export function numberOfType(type: string): number {
  const number = numbers.get(type);
  if (number === undefined) throw new RangeError(`no resource type is called ${type}`);
  return number;
}

/**
 * The resource type of a number from {@link numberOfType}.
 * @throws RangeError for a number of no type
 */
export function typeOfNumber(number: number): string {
  const type = numberedTypes[number - 1];
  if (type === undefined) throw new RangeError(`no resource type has the number ${number}`);
  return type;
}

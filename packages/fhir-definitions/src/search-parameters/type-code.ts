import { typesInCodeOrder } from './type-codes';

const codes = new Map(typesInCodeOrder.map((type, place) => [type, place + 1]));

/** The small number that stands for a resource type in stored rows; the same in every release, and for ever. */
export function typeCode(type: string): number {
  const code = codes.get(type);
  if (code === undefined) throw new RangeError(`no resource type is called ${type}`);
  return code;
}

/** The resource type of a code from {@link typeCode}. */
export function typeOfCode(code: number): string {
  const type = typesInCodeOrder[code - 1];
  if (type === undefined) throw new RangeError(`no resource type has the code ${code}`);
  return type;
}

import type { JsonValue } from './values';

/** Whether the objects of a value have more members, and its arrays more items, than this number in all. */
export function hasMoreMembers(value: JsonValue, max: number): boolean {
  let left = max;
  const visit = (each: JsonValue): boolean => {
    if (typeof each !== 'object' || each === null) return true;
    const children = Array.isArray(each) ? each : Object.values(each);
    left -= children.length;
    return left >= 0 && children.every((child) => child === undefined || visit(child));
  };
  return !visit(value);
}

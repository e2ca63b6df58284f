import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';

const nameParts = ['text', 'family', 'given', 'prefix', 'suffix'];
const addressParts = ['text', 'line', 'city', 'district', 'state', 'postalCode', 'country'];

/** The texts of a value of a string parameter. A HumanName or Address has one for each of its parts. */
export function stringsOf(type: string, value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (!isJsonObject(value)) return [];
  if (type === 'HumanName') return parts(value, nameParts);
  if (type === 'Address') return parts(value, addressParts);
  return [];
}

function parts(value: JsonObject, names: readonly string[]): string[] {
  const found: string[] = [];
  for (const name of names) {
    const part = value[name];
    if (typeof part === 'string') found.push(part);
    else if (Array.isArray(part)) for (const item of part) if (typeof item === 'string') found.push(item);
  }
  return found;
}

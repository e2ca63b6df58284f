import { isDecimal, decimalText, isJsonObject, type JsonValue } from '@tributary/fhir-json';

/** One code, identifier or boolean of a token parameter. */
export interface Token {
  system: string | undefined;
  code: string | undefined;
}

const text = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

function token(system: JsonValue | undefined, code: JsonValue | undefined): Token {
  return { system: text(system), code: text(code) };
}

/**
 * Types whose values are compared without case: strings (https://hl7.org/fhir/R4/search.html#token) and contact points
 * such as e-mail addresses.
 */
const withoutCase: ReadonlySet<string> = new Set(['string', 'ContactPoint']);

/** The form in which codes of a type are compared. Codes and identifiers are case-sensitive. */
export function comparableCode(type: string, code: string): string {
  return withoutCase.has(type) ? code.toLowerCase() : code;
}

/** The tokens of a value. A CodeableConcept has one for each coding. */
export function tokensOf(type: string, value: JsonValue): Token[] {
  if (typeof value === 'string') return [{ system: undefined, code: value }];
  if (typeof value === 'boolean') return [{ system: undefined, code: String(value) }];
  if (isDecimal(value)) return [{ system: undefined, code: decimalText(value) }];
  if (!isJsonObject(value)) return [];
  switch (type) {
    case 'CodeableConcept': {
      const coding = value['coding'];
      const found: Token[] = [];
      if (Array.isArray(coding))
        for (const each of coding) if (isJsonObject(each)) found.push(token(each['system'], each['code']));
      return found;
    }
    case 'Coding':
      return [token(value['system'], value['code'])];
    case 'Identifier':
    case 'ContactPoint':
      return [token(value['system'], value['value'])];
    default:
      return [];
  }
}

/** The display texts of a token, which `:text` searches. */
export function tokenTexts(type: string, value: JsonValue): string[] {
  if (!isJsonObject(value)) return [];
  const found: (string | undefined)[] = [];
  if (type === 'CodeableConcept') {
    found.push(text(value['text']));
    const coding = value['coding'];
    if (Array.isArray(coding)) for (const each of coding) if (isJsonObject(each)) found.push(text(each['display']));
  } else if (type === 'Coding') {
    found.push(text(value['display']));
  } else if (type === 'Identifier' && isJsonObject(value['type'])) {
    found.push(...tokenTexts('CodeableConcept', value['type']));
  } else if (type === 'ContactPoint') {
    found.push(text(value['value']));
  }
  return found.filter((each) => each !== undefined);
}

import { isDecimal, decimalText, isJsonObject, type JsonValue } from '@tributary/fhir-json';

/** One code, identifier or flag of a token parameter. */
export interface Token {
  system: string | undefined;
  code: string | undefined;
}

const text = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

function token(system: JsonValue | undefined, code: JsonValue | undefined): Token {
  return { system: text(system), code: text(code) };
}

/** Types whose values mean the same in upper and lower case: strings (R4 says so of token parameters that look at them), and e-mail addresses. */
const withoutCase: ReadonlySet<string> = new Set(['string', 'ContactPoint']);

/** A code as it is compared at a path of this type: codes and identifiers to the letter. */
export function comparableCode(type: string, code: string): string {
  return withoutCase.has(type) ? code.toLowerCase() : code;
}

/** The tokens of a value: one for each coding, else one. */
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

/** The words that people read for a token: what `:text` searches. */
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

import { DecimalText } from './decimal-text';

/** A JSON number: a DecimalText where a JavaScript number would lose its text. */
export type JsonNumber = number | DecimalText;

/** Whether a value is a JSON number in either form. */
export function isDecimal(value: unknown): value is JsonNumber {
  return typeof value === 'number' || value instanceof DecimalText;
}

/** The nearest JavaScript number. */
export function decimalValue(decimal: JsonNumber): number {
  return typeof decimal === 'number' ? decimal : decimal.value;
}

/** The text of the number in the document, with all its digits. */
export function decimalText(decimal: JsonNumber): string {
  return typeof decimal === 'number' ? String(decimal) : decimal.text;
}

/** The number of a text: a JavaScript number when that has the same text, or else a DecimalText. */
export function numberFromText(text: string): JsonNumber {
  const value = Number(text);
  return String(value) === text ? value : new DecimalText(text);
}

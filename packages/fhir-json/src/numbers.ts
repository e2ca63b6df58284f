import { DecimalText } from './decimal-text';

/** A JSON number in either of its two forms. */
export type JsonNumber = number | DecimalText;

/** True for a JSON number, whether or not it had to keep its text. */
export function isDecimal(value: unknown): value is JsonNumber {
  return typeof value === 'number' || value instanceof DecimalText;
}

/** The nearest JavaScript number. */
export function decimalValue(decimal: JsonNumber): number {
  return typeof decimal === 'number' ? decimal : decimal.value;
}

/** The text that stands in the document, with every digit. */
export function decimalText(decimal: JsonNumber): string {
  return typeof decimal === 'number' ? String(decimal) : decimal.text;
}

/** The value of a number's text: a plain number where that writes the same text again. */
export function numberFromText(text: string): JsonNumber {
  const value = Number(text);
  return String(value) === text ? value : new DecimalText(text);
}

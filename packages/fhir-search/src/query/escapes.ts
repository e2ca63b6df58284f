/**
 * Splits a value at a separator that is not escaped: https://hl7.org/fhir/R4/search.html#escaping. The parts keep their
 * escapes.
 */
export function splitUnescaped(text: string, separator: ',' | '$' | '|'): string[] {
  if (!text.includes('\\')) return text.split(separator);
  const pieces: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') {
      i++;
    } else if (text[i] === separator) {
      pieces.push(text.slice(start, i));
      start = i + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** Replaces the escapes `\,` `\$` `\|` and `\\` by the characters they mean. */
export function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([,$|\\])/g, '$1') : text;
}

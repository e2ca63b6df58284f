/** Splits at a separator that no backslash stands before. Escapes stay in the pieces. */
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

/** Takes the backslashes of `\,` `\$` `\|` and `\\` away. */
export function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([,$|\\])/g, '$1') : text;
}

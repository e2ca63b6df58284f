const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Breaks and indents JSON. Numbers and strings stay as they are written, such as 1.10 of FHIR, and the end may be
 * missing.
 */
export function prettyJson(text: string): string {
  let depth = 0;
  let result = '';
  let last = '';
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(tokens)) {
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth--;
    const isEmpty = isClosing && (last === '{' || last === '[');
    if ((isClosing && !isEmpty) || (!isClosing && (last === '{' || last === '[' || last === ','))) result += line();
    result += token === ':' ? ': ' : token;
    if (isOpening) depth++;
    last = token;
  }
  return result;
}

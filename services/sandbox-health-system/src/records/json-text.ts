/**
 * Finds the members of an object in JSON text without parsing the values: a resource is served with the text of its
 * source, so that `0.10` stays `0.10`.
 */
export interface TextMember {
  name: string;
  /** The start and end of the value in the text. */
  start: number;
  end: number;
}

/** The members of the object whose opening brace is at `from`. */
export function membersAt(text: string, from: number): TextMember[] {
  const members: TextMember[] = [];
  let at = afterSpace(text, from + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const start = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    members.push({ name: JSON.parse(text.slice(at, nameEnd)) as string, start, end });
    at = afterSpace(text, end);
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  return members;
}

/** The start and end of each element of the array whose opening bracket is at `from`. */
export function elementsAt(text: string, from: number): { start: number; end: number }[] {
  const elements: { start: number; end: number }[] = [];
  let start = afterSpace(text, from + 1);
  while (start < text.length && text[start] !== ']') {
    const end = endOfValue(text, start);
    elements.push({ start, end });
    start = afterSpace(text, end);
    if (text[start] === ',') start = afterSpace(text, start + 1);
  }
  return elements;
}

/** The first index from `from` on that is not white space. */
export function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first === '{' || first === '[') return endOfNested(text, start);
  let at = start;
  while (at < text.length && !',]}'.includes(text[at]!) && text.charCodeAt(at) > 32) at += 1;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return at;
}

const plain = /^[\x20-\x7e]*$/;

/** Normalizes text for string searches: lower case, no accents, single spaces. */
export function fold(text: string): string {
  const bare = plain.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '');
  const lower = bare.toLowerCase().replaceAll('ß', 'ss');
  return lower.includes('  ') || lower !== lower.trim() || /[\t\n\r\u00a0]/.test(lower)
    ? lower.replace(/\s+/g, ' ').trim()
    : lower;
}

/** The words of folded text. */
export function words(folded: string): string[] {
  return folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/**
 * American Soundex of a folded word (https://www.archives.gov/research/census/soundex). Words of other alphabets are
 * returned unchanged.
 */
export function soundex(word: string): string {
  const letters = word.replace(/[^a-z]/g, '');
  const first = letters[0];
  if (first === undefined) return word;
  let code = first;
  let previous = soundexDigit(first);
  for (const letter of letters.slice(1)) {
    const digit = soundexDigit(letter);
    if (digit !== '' && digit !== previous) code += digit;
    // h and w do not separate equal sounds, vowels do.
    if (letter !== 'h' && letter !== 'w') previous = digit;
    if (code.length === 4) break;
  }
  return code.padEnd(4, '0');
}

const soundexGroups = ['bfpv', 'cgjkqsxz', 'dt', 'l', 'mn', 'r'];

function soundexDigit(letter: string): string {
  const group = soundexGroups.findIndex((letters) => letters.includes(letter));
  return group < 0 ? '' : String(group + 1);
}

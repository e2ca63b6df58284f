const plainAscii = /^[\x20-\x7e]*$/;
const marks = /\p{M}+/gu;
const letterFoldings = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ı: 'i',
  }),
);
const unfoldedLetters = /[ßæœøłđðþı]/g;

/** Removes case and accents: `Hôpital Saint-Éloi` → `hopital saint-eloi`. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (plainAscii.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(marks, '')
    .replace(unfoldedLetters, (letter) => letterFoldings.get(letter) ?? letter);
}

/** An index of PostgreSQL holds about 2,700 bytes of an entry, and a letter can fold to 18. */
const maxSortKeyLength = 300;

/** Returns the sort key of a name: its folded words. Empty when the name has neither letters nor digits. */
export function sortKey(name: string): string {
  return words(name).map(fold).join(' ').slice(0, maxSortKeyLength);
}

const apostrophes = /(?<=\p{L})['’`´ʼ](?=\p{L})/gu;
const acronymDots = /(?<=(?<![\p{L}\p{N}])\p{L})\.(?=\p{L}(?![\p{L}\p{N}]))/gu;
const hasPunctuation = /['’`´ʼ.]/;
const separators = /[^\p{L}\p{N}\p{M}]+/u;

/** Splits a text into words: `St. Luke's, M.D.` → `St`, `Lukes`, `MD`. */
export function words(text: string): string[] {
  const plain = hasPunctuation.test(text) ? text.replace(apostrophes, '').replace(acronymDots, '') : text;
  return plain.split(separators).filter((word) => word !== '');
}

const humps = /(?<=\p{Ll})(?=\p{Lu})/u;

/** Splits a camel-case word: `NewYork` → `New`, `York`. Returns an empty array for other words. */
export function camelCaseParts(word: string): string[] {
  const parts = word.split(humps);
  return parts.length > 1 ? parts : [];
}

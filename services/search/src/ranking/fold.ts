const plainAscii = /^[\x20-\x7e]*$/;
const marks = /\p{M}+/gu;
const lettersWithoutDecomposition: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const withoutDecomposition = /[ßæœøłđðþı]/g;

/** The text without case and accents: `Hôpital Saint-Éloi` → `hopital saint-eloi`. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (plainAscii.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(marks, '')
    .replace(withoutDecomposition, (letter) => lettersWithoutDecomposition[letter] ?? letter);
}

/** What directories are ordered by: the folded words of the name. Empty when the name has neither letter nor digit. */
export function sortKey(name: string): string {
  return words(name).map(fold).join(' ');
}

const apostrophes = /(?<=\p{L})['’`´ʼ](?=\p{L})/gu;
const acronymDots = /(?<=(?<![\p{L}\p{N}])\p{L})\.(?=\p{L}(?![\p{L}\p{N}]))/gu;
const specialPoints = /['’`´ʼ.]/;
const separators = /[^\p{L}\p{N}\p{M}]+/u;

/** The words of a text as written: `St. Luke's, M.D.` → `St`, `Lukes`, `MD`. */
export function words(text: string): string[] {
  const plain = specialPoints.test(text) ? text.replace(apostrophes, '').replace(acronymDots, '') : text;
  return plain.split(separators).filter((word) => word !== '');
}

const humps = /(?<=\p{Ll})(?=\p{Lu})/u;

/** The parts of a word written with capitals inside: `NewYork` → `New`, `York`; none for any other word. */
export function partsOfCompound(word: string): string[] {
  const parts = word.split(humps);
  return parts.length > 1 ? parts : [];
}

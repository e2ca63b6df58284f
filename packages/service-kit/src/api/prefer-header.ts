/**
 * Parses the header `Prefer` (RFC 7240). Names and values are compared without regard to case, so both come in lower
 * case; of a repeated preference the first counts. Semicolons separate preferences like commas do, since no preference
 * that is supported has parameters.
 * @param header the fields of the header, joined by commas
 * @returns the value of each preference, empty when it has none
 */
export function parsePrefer(header: string | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  if (header === undefined) return preferences;
  for (const part of header.split(/[,;]/)) {
    const [name = '', value = ''] = part.split('=').map((text) => text.trim().toLowerCase());
    if (name !== '' && !preferences.has(name)) preferences.set(name, value.replaceAll('"', ''));
  }
  return preferences;
}

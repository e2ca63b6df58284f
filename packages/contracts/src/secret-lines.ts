/**
 * The values in a secret file, oldest first: one on each line. White space around a value, empty lines and lines that
 * begin with # do not count.
 */
export function linesOf(content: string): readonly string[] {
  const lines = content.split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

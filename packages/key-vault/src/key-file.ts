const KEY_BYTES = 32;

/**
 * The keys of a key file, oldest first: 32 raw bytes, or text with one base64 key per line. Empty lines and lines that
 * start with # are ignored.
 * @throws RangeError when there is no key, or a line is not a 32-byte key in base64
 */
export function parseKeyFile(content: Buffer): Buffer[] {
  if (content.length === KEY_BYTES) return [content];
  const lines = content
    .toString('latin1')
    .split(/\r?\n/)
    .map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseKeyLine);
  if (keys.length === 0) throw new RangeError('a key file contains at least one key');
  return keys;
}

function parseKeyLine(line: string): Buffer {
  const key = Buffer.from(line, 'base64');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(line) || key.length !== KEY_BYTES)
    throw new RangeError('each line of a key file is one 32-byte key in base64');
  return key;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openFile } from './file-source';

describe('a compressed file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'file-source-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function sizeOf(text: string, maxBytes: number): Promise<number> {
    const path = join(folder, 'list.json.gz');
    writeFileSync(path, gzipSync(text));
    const opened = await openFile(path, { known: {}, sandbox: false, onBytes: () => undefined, maxBytes });
    if (opened === 'unchanged') throw new Error('a file has no validators');
    let size = 0;
    for await (const part of opened.bytes) size += part.length;
    return size;
  }

  it('is refused when it has too many bytes, whatever its ratio is', async () => {
    const text = Array.from({ length: 10_000 }, (_line, index) => `${(index * 7919) % 100_003}`).join();
    expect(await sizeOf(text, text.length)).toBe(text.length);
    await expect(sizeOf(text, text.length - 1)).rejects.toThrow(
      `the file has more than ${text.length - 1} bytes when it is decompressed`,
    );
  });
});

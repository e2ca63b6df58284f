import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile } from './log-file';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-log-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('LogFile', () => {
  it('continues the file of an earlier start, and keeps a fixed number of older files', () => {
    const path = join(folder, 'service.log');
    writeFileSync(path, 'before\n');
    const log = new LogFile(path, { maxBytes: 14, keptFiles: 2 });
    for (const line of ['one\n', 'two three\n', 'four five\n', 'six seven\n']) log.append(Buffer.from(line));
    log.close();
    const texts = [path, `${path}.1`, `${path}.2`].map((name) => readFileSync(name, 'utf8'));
    expect(texts).toEqual(['six seven\n', 'four five\n', 'two three\n']);
    expect(existsSync(`${path}.3`)).toBe(false);
  });

  it('drops output while the disk is full, and reports it when there is space again', () => {
    const full = new LogFile('/dev/full');
    expect(() => full.append(Buffer.from('lost\n'))).not.toThrow();
    full.close();
    const path = join(folder, 'not-yet', 'service.log');
    const log = new LogFile(path);
    log.append(Buffer.from('lost\n'));
    mkdirSync(join(folder, 'not-yet'));
    log.append(Buffer.from('kept\n'));
    log.close();
    expect(readFileSync(path, 'utf8')).toBe('(5 bytes of this log could not be written)\nkept\n');
  });
});

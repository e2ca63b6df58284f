import { mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RotatingSecret, type RotatingSecretOptions } from './rotating-secret';

const start = Date.UTC(2026, 0, 1);

describe('RotatingSecret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rotating-secret-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let path: string;
  /** Both clocks. */
  let now: number;
  let files = 0;
  beforeEach(() => {
    path = join(folder, `secret-${files++}`);
    now = start;
    jest.useFakeTimers({ now: start });
  });
  afterEach(() => jest.useRealTimers());

  /** Writes the file as it would be at a time of the fake clock. */
  const write = (text: string, at = now): void => {
    writeFileSync(path, text);
    utimesSync(path, at / 1000, at / 1000);
  };
  const open = (options: Partial<RotatingSecretOptions> = {}): RotatingSecret =>
    new RotatingSecret({ path, activationSeconds: 300, now: () => now, monotonic: () => now, ...options });

  it('uses the only value at once', () => {
    write('one\n');
    expect(open().current).toBe('one');
  });

  it('accepts a value that is appended within seconds, and uses it when all replicas have had time to read it', () => {
    write('one\n', start - 1_000_000);
    const [early, late] = [open(), open()];
    now += 1000;
    write('one\ntwo\n');
    now += 5000;
    expect(early.accepted).toEqual(['one', 'two']);
    expect([early.current, early.activeInSeconds]).toEqual(['one', 300]);
    now += 299_000;
    expect(early.current).toBe('one');
    // The other replica was busy and looks at the file only now: it accepts what the first one is about to use.
    expect(late.accepted).toContain('two');
    now += 1000;
    expect([early.current, early.activeInSeconds]).toEqual(['two', 0]);
    expect(late.current).toBe('one');
    write('two\n');
    now += 5000;
    expect([early.accepted, early.current]).toEqual([['two'], 'two']);
  });

  it('knows a value from the time at which it is in the file, also when nothing uses the secret', () => {
    write('one\n', start - 1_000_000);
    const secret = open();
    write('one\ntwo\n');
    now += 5000;
    jest.advanceTimersByTime(5000);
    now += 300_000;
    expect([secret.current, secret.knownForSeconds]).toEqual(['two', 300]);
  });

  it('uses no value before its time, however many are appended', () => {
    write('one\n', start - 1_000_000);
    const secret = open();
    for (const text of ['one\ntwo\n', 'one\ntwo\nthree\n', 'one\ntwo\nthree\nfour\n']) {
      write(text);
      now += 200_000;
      expect(secret.current).toBe('one');
    }
    now += 299_000;
    expect([secret.current, secret.activeInSeconds]).toEqual(['one', 1]);
    now += 1000;
    expect([secret.current, secret.accepted.length]).toEqual(['four', 4]);
  });

  it('uses the value before the last one when the one in use is removed', () => {
    write('one\n', start - 1_000_000);
    const secret = open();
    write('one\ntwo\n');
    now += 5000;
    expect(secret.current).toBe('one');
    write('two\nthree\n');
    now += 5000;
    expect([secret.current, secret.activeInSeconds]).toEqual(['two', 300]);
    write('two\n');
    now += 5000;
    expect([secret.current, secret.activeInSeconds]).toEqual(['two', 0]);
  });

  it('uses a value whose time has come although the file has changed since the last use', () => {
    write('one\ntwo\n');
    const secret = open();
    expect(secret.current).toBe('one');
    now += 400_000;
    write('one\ntwo\nthree\n');
    expect([secret.current, secret.activeInSeconds]).toEqual(['two', 300]);
  });

  it('uses the last value at once when another process is known to use it', () => {
    write('one\ntwo\n');
    const secret = open();
    secret.activate('one');
    expect(secret.current).toBe('one');
    secret.activate('two');
    expect([secret.current, secret.activeInSeconds]).toEqual(['two', 0]);
  });

  it('never combines the values of two looks at the file', () => {
    for (const step of [1, 2, 3, 4, 5]) {
      write('one\ntwo\n', start - 400_000);
      let clock = 0;
      const secret = open({ monotonic: () => (clock += step * 1000) });
      write('zero\none\ntwo\n');
      for (let use = 0; use < 10; use++) expect(secret.current).toBe('two');
      write('two\n');
      for (let use = 0; use < 10; use++) {
        const { accepted, current } = secret.snapshot;
        expect([accepted.includes(current), current]).toEqual([true, 'two']);
      }
    }
  });

  it('is not affected by a change of the clock after the start', () => {
    write('one\ntwo\n', start - 100_000);
    let clock = start;
    const secret = open({ now: () => clock });
    for (clock of [start - 1e9, start + 1e9]) expect([secret.current, secret.activeInSeconds]).toEqual(['one', 200]);
    now += 200_000;
    expect(secret.current).toBe('two');
    clock = start - 1e9;
    expect([secret.current, open({ now: () => clock }).activeInSeconds]).toEqual(['two', 300]);
  });

  it('counts from the time of the file at the start, and from now when that lies ahead', () => {
    write('one\ntwo\n', start - 299_000);
    const secret = open();
    expect([secret.current, secret.activeInSeconds]).toEqual(['one', 1]);
    now += 1000;
    expect(secret.current).toBe('two');
    write('one\ntwo\n', now + 1e9);
    expect(open().activeInSeconds).toBe(300);
  });

  it('stays at the value in use when an older one is removed', () => {
    write('one\ntwo\nthree\n', start - 400_000);
    const secret = open();
    expect(secret.current).toBe('three');
    write('two\nthree\n');
    now += 5000;
    expect([secret.accepted, secret.current]).toEqual([['two', 'three'], 'three']);
  });

  it('follows a symbolic link that is replaced, as a mounted Kubernetes secret is', () => {
    const [first, second] = [`${path}-1`, `${path}-2`];
    writeFileSync(first, 'one\n');
    writeFileSync(second, 'two\n');
    symlinkSync(first, path);
    const secret = open();
    symlinkSync(second, `${path}-new`);
    renameSync(`${path}-new`, path);
    expect(secret.current).toBe('one');
    secret.refresh();
    expect(secret.current).toBe('two');
  });

  it('keeps its values and warns once while the file is missing, empty or invalid', () => {
    write('one\n');
    const warnings: unknown[] = [];
    const parse = (content: Buffer): string[] => {
      if (content.includes('bad')) throw new Error('not valid');
      return content.toString().split('\n').filter(Boolean);
    };
    const secret = open({ parse, log: { warn: (...warning: unknown[]) => void warnings.push(warning) } });
    for (const breakIt of [() => rmSync(path), () => write(''), () => write('bad value\n')]) {
      breakIt();
      for (let looks = 0; looks < 3; looks++) {
        now += 5000;
        expect(secret.current).toBe('one');
      }
    }
    expect(warnings).toHaveLength(3);
    expect(JSON.stringify(warnings)).not.toContain('bad value');
    write('one\ntwo\n');
    now += 5000;
    expect(secret.accepted).toEqual(['one', 'two']);
  });

  it('refuses a file that is missing or empty at the start', () => {
    expect(() => open()).toThrow(/ENOENT/);
    write('# a comment\n\n');
    expect(() => open()).toThrow(/contains no value/);
  });
});

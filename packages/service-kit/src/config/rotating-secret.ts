import { EventEmitter } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import type { Logger } from 'pino';
import { linesOf } from '@tributary/contracts';

/** How often a file is looked at, in milliseconds. */
const checkEveryMs = 5000;

/** Tells of every secret file whose values have changed since the process began, by its path. */
export const secretChanges = new EventEmitter<{ change: [path: string] }>();

export interface RotatingSecretOptions {
  path: string;
  /** How long the last value is known before it is used, in seconds. */
  activationSeconds: number;
  /**
   * The values in the file, oldest first; by default its lines, without empty lines and those that begin with #.
   * @throws Error when the content is not valid
   */
  parse?(content: Buffer): readonly string[];
  /** Receives a warning when the file becomes unreadable or invalid while the process runs. */
  log?: Pick<Logger, 'warn'> | undefined;
  /** Epoch milliseconds, which are compared with the time of the file at the start. */
  now?(): number;
  /** Milliseconds that no change of the clock affects. */
  monotonic?(): number;
}

/**
 * A secret in a file, which is read again when it changes. The file has several values, oldest first. All of them are
 * accepted; the last one is used once it has been known for `activationSeconds`, and until then the one that was used
 * before it. So a secret is rotated without a restart: append the new value at every replica, wait, and remove the old
 * one.
 *
 * A value that is in the file when the process starts is known since the file was last modified. One that is added
 * later is known since the process has read it. A file that becomes unreadable or invalid leaves the values as they
 * were.
 *
 * The file is looked at every five seconds for as long as the process runs, so a value is known also to a process that
 * does not use the secret. It is also looked at on use, because timers do not run while a process is suspended. This is
 * synchronous: the file is local and has a few bytes.
 */
export class RotatingSecret {
  readonly #options: Required<Omit<RotatingSecretOptions, 'log'>> & Pick<RotatingSecretOptions, 'log'>;
  #values: readonly string[];
  /** The value that was used when it was last asked for. */
  #used: string;
  /** Monotonic milliseconds since when the last value is known. */
  #knownSince: number;
  /** Identifies the content of the file that was read last, or that could not be read. */
  #fingerprint: string;
  /** Monotonic milliseconds. */
  #checkedAt: number;

  /** @throws Error when the file cannot be read, or is not valid */
  constructor(options: RotatingSecretOptions) {
    this.#options = {
      parse: (content) => linesOf(content.toString('utf8')),
      now: Date.now,
      monotonic: () => performance.now(),
      ...options,
    };
    const { path, now, monotonic } = this.#options;
    const { fingerprint, modifiedAt } = look(path);
    this.#fingerprint = fingerprint;
    this.#values = this.#read();
    this.#checkedAt = monotonic();
    this.#knownSince = this.#checkedAt - Math.max(0, now() - modifiedAt);
    this.#used = beforeLast(this.#values);
    setInterval(() => this.refresh(), checkEveryMs).unref();
  }

  /** What another process opens the same file with. */
  get file(): Pick<RotatingSecretOptions, 'path' | 'activationSeconds'> {
    const { path, activationSeconds } = this.#options;
    return { path, activationSeconds };
  }

  /** All values, oldest first. */
  get accepted(): readonly string[] {
    this.#check();
    return this.#values;
  }

  /** The value that is used. */
  get current(): string {
    return this.snapshot.current;
  }

  /** All values and the one that is used, from one look at the file. */
  get snapshot(): Pick<RotatingSecret, 'accepted' | 'current'> {
    this.#check();
    const last = this.#values.at(-1) as string;
    if (this.#activeInSeconds(this.#options.monotonic()) === 0) this.#used = last;
    return { accepted: this.#values, current: this.#used };
  }

  /** How long it takes until the last value is used, in seconds; 0 when it is. */
  get activeInSeconds(): number {
    this.#check();
    return this.#activeInSeconds(this.#options.monotonic());
  }

  /** How long the last value has been known, in seconds. */
  get knownForSeconds(): number {
    this.#check();
    return (this.#options.monotonic() - this.#knownSince) / 1000;
  }

  /** Uses this value from now on if it is the last one, as when another process is known to use it. */
  activate(value: string): void {
    if (value === this.accepted.at(-1)) this.#used = value;
  }

  /** Looks at the file now, as when a value is presented that is not known. */
  refresh(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    this.#check();
  }

  /** @param at monotonic milliseconds */
  #activeInSeconds(at: number): number {
    if (this.#values.at(-1) === this.#used) return 0;
    return Math.max(0, Math.ceil(this.#options.activationSeconds - (at - this.#knownSince) / 1000));
  }

  #check(): void {
    const { path, monotonic, log } = this.#options;
    const at = monotonic();
    if (at - this.#checkedAt < checkEveryMs) return;
    this.#checkedAt = at;
    let fingerprint = 'unreadable';
    try {
      ({ fingerprint } = look(path));
      if (fingerprint === this.#fingerprint) return;
      const values = this.#read();
      const isChanged = values.join('\n') !== this.#values.join('\n');
      this.#replace(values, at);
      if (isChanged) secretChanges.emit('change', path);
    } catch (error) {
      if (fingerprint !== this.#fingerprint)
        (log ?? warnings).warn(
          { file: path, reason: (error as Error).message },
          'a secret file cannot be used; the values that were read before stay in use',
        );
    }
    this.#fingerprint = fingerprint;
  }

  /** @param at monotonic milliseconds */
  #replace(values: readonly string[], at: number): void {
    const last = this.#values.at(-1);
    // The last value may have become active since it was last asked for.
    if (this.#activeInSeconds(at) === 0) this.#used = last as string;
    this.#values = values;
    if (values.at(-1) !== last) this.#knownSince = at;
    if (!values.includes(this.#used)) this.#used = beforeLast(values);
  }

  #read(): readonly string[] {
    const { path, parse } = this.#options;
    const values = parse(readFileSync(path));
    if (values.length === 0) throw new Error(`${path} contains no value`);
    return values;
  }
}

/** The value to use when it is not known which one was used before: others may not know the last one yet. */
function beforeLast(values: readonly string[]): string {
  return (values.at(-2) ?? values.at(-1)) as string;
}

/** Where a process has no log yet, as while it reads its configuration. */
const warnings = {
  warn: ({ file, reason }: { file: string; reason: string }, message: string): void =>
    process.emitWarning(`${file}: ${message} (${reason})`),
};

function look(path: string): { fingerprint: string; modifiedAt: number } {
  const { dev, ino, size, mtimeMs } = statSync(path);
  return { fingerprint: `${dev} ${ino} ${size} ${mtimeMs}`, modifiedAt: mtimeMs };
}

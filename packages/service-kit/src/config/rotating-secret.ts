import { readFileSync, statSync } from 'node:fs';
import type { Logger } from 'pino';

/** How often a file is looked at, in milliseconds. */
const checkEveryMs = 5000;

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
  /** Epoch milliseconds. */
  now?(): number;
}

/**
 * A secret in a file, which is read again when it changes. The file has several values, oldest first. All of them are
 * accepted; the last one is used once it has been known for `activationSeconds`, and until then the one before it. So a
 * secret is rotated without a restart: append the new value at every replica, wait, and remove the old one.
 *
 * A value that is in the file when the process starts is known since the file was last modified. One that is added
 * later is known since the process has read it. A file that becomes unreadable or invalid leaves the values as they
 * were.
 *
 * The file is looked at on use, and synchronously: it is local and has a few bytes, so this takes some microseconds
 * every five seconds, and the first request after a long pause already sees the new values.
 */
export class RotatingSecret {
  readonly #options: Required<Omit<RotatingSecretOptions, 'log'>> & Pick<RotatingSecretOptions, 'log'>;
  #values: readonly string[];
  /** Epoch milliseconds since when the last value is known. */
  #knownSince: number;
  /** Identifies the content of the file that was read last, or that could not be read. */
  #fingerprint: string;
  #checkedAt: number;

  /** @throws Error when the file cannot be read, or is not valid */
  constructor(options: RotatingSecretOptions) {
    this.#options = { parse: (content) => linesOf(content.toString('utf8')), now: Date.now, ...options };
    const { path, now } = this.#options;
    const { fingerprint, modifiedAt } = look(path);
    this.#fingerprint = fingerprint;
    this.#values = this.#read();
    this.#checkedAt = now();
    this.#knownSince = Math.min(modifiedAt, this.#checkedAt);
  }

  /** All values, oldest first. */
  get accepted(): readonly string[] {
    this.#check();
    return this.#values;
  }

  /** The value that is used. */
  get current(): string {
    const { accepted } = this;
    return accepted[this.currentIndex] as string;
  }

  /** The index in `accepted` of the value that is used. */
  get currentIndex(): number {
    return Math.max(0, this.accepted.length - (this.activeInSeconds > 0 ? 2 : 1));
  }

  /** How long it takes until the last value is used, in seconds; 0 when it is. */
  get activeInSeconds(): number {
    if (this.accepted.length < 2) return 0;
    const { activationSeconds, now } = this.#options;
    return Math.max(0, Math.ceil(activationSeconds - (now() - this.#knownSince) / 1000));
  }

  /** Looks at the file now, as when a value is presented that is not known. */
  refresh(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    this.#check();
  }

  #check(): void {
    const { path, now, log } = this.#options;
    const at = now();
    // A clock that is set back does not stop the checks.
    if (at - this.#checkedAt < checkEveryMs && at >= this.#checkedAt) return;
    this.#checkedAt = at;
    let fingerprint = 'unreadable';
    try {
      ({ fingerprint } = look(path));
      if (fingerprint === this.#fingerprint) return;
      const last = this.#values.at(-1);
      this.#values = this.#read();
      if (this.#values.at(-1) !== last) this.#knownSince = at;
    } catch (error) {
      if (fingerprint !== this.#fingerprint)
        (log ?? warnings).warn(
          { file: path, reason: (error as Error).message },
          'a secret file cannot be used; the values that were read before stay in use',
        );
    }
    this.#fingerprint = fingerprint;
  }

  #read(): readonly string[] {
    const { path, parse } = this.#options;
    const values = parse(readFileSync(path));
    if (values.length === 0) throw new Error(`${path} contains no value`);
    return values;
  }
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

/** The values in a file with one on each line. */
export function linesOf(content: string): readonly string[] {
  const lines = content.split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

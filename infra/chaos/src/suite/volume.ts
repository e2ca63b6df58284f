import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** The size for the databases with their write-ahead log and for the logs. */
const volumeBytes = 1_500_000_000;
const reserve = 1_048_576;
const pieces = [65_536, 4096] as const;

/** A small file system in a file (a loop device) that can be filled. Mounting it requires root. */
export class Volume {
  private constructor(readonly directory: string) {}

  /** @returns the mounted volume, or the reason why there is none */
  static mount(root: string): Volume | string {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can mount a small volume';
    const image = join(root, 'volume.img');
    const directory = join(root, 'volume');
    const file = openSync(image, 'w');
    ftruncateSync(file, volumeBytes);
    closeSync(file);
    mkdirSync(directory);
    const complaint = run('mkfs.ext4', '-q', '-F', '-m', '0', image) ?? run('mount', '-o', 'loop', image, directory);
    if (complaint !== undefined) {
      rmSync(image, { force: true });
      return `a small volume cannot be mounted: ${complaint}`;
    }
    chmodSync(directory, 0o755);
    return new Volume(directory);
  }

  /** Fills the volume. */
  fill(): void {
    const file = openSync(this.#filler, 'a');
    const { bavail, bsize } = statfsSync(this.directory);
    // Most of the space is allocated without writing, which would take seconds.
    if (bavail * bsize > reserve)
      run('fallocate', '--length', String(statSync(this.#filler).size + bavail * bsize - reserve), this.#filler);
    try {
      for (const size of pieces) writeUntilFull(file, Buffer.alloc(size));
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space. */
  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    if (run('umount', this.directory) !== undefined) run('umount', '--lazy', this.directory);
  }

  get #filler(): string {
    return join(this.directory, 'filler');
  }
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

function run(command: string, ...words: string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

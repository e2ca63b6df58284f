import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The resident memory of a process in MB; 0 when it has ended. */
function residentMegabytes(pid: number): number {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
    return Number.parseInt(stdout || '0', 10) / 1024 || 0;
  }
}

/** Samples the resident memory of a process in MB, twice a second until `stop`. */
export class MemoryWatch {
  readonly samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.#look();
    this.#timer = setInterval(() => this.#look(), 500);
  }

  /** Stops sampling and returns the maximum in MB. */
  stop(): number {
    clearInterval(this.#timer);
    this.#look();
    return Math.max(...this.samples);
  }

  #look(): void {
    this.samples.push(residentMegabytes(this.pid));
  }
}

/** Up to `points` samples at even distances, with the first and the last, as text such as `93 → 120 → 118 MB`. */
export function overTime(samples: readonly number[], points = 8): string {
  const last = samples.length - 1;
  const indexes =
    last < points
      ? [...samples.keys()]
      : Array.from({ length: points }, (_, n) => Math.round((n * last) / (points - 1)));
  return `${indexes.map((index) => Math.round(samples[index] ?? 0)).join(' → ')} MB`;
}

import { readFileSync, readdirSync } from 'node:fs';

/** A process, as `/proc/PID/stat` reports it. */
interface ProcessStat {
  pid: number;
  parent: number;
  /** Processor time used, in seconds. */
  seconds: number;
}

const ticksPerSecond = 100;

/** Parses the line of /proc/PID/stat. The name of the process can contain spaces and parentheses. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(fields[1]),
    seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
  };
}

/**
 * Measures how many processors each part of the suite keeps busy. Without /proc the result is empty.
 */
export class ProcessorTime {
  readonly #before = this.#read();
  readonly #began = performance.now();

  /**
   * @param parts the process of each part
   * @param postmaster the parent of PostgreSQL's processes
   */
  constructor(
    private readonly parts: ReadonlyMap<number, string>,
    private readonly postmaster: number,
  ) {}

  /** The average number of processors that each part has kept busy since the start. */
  busy(): Map<string, number> {
    const seconds = (performance.now() - this.#began) / 1000;
    const used = new Map<string, number>();
    for (const { pid, parent, seconds: now } of this.#read().values()) {
      const part = this.parts.get(pid) ?? (parent === this.postmaster ? 'postgres' : undefined);
      if (part === undefined) continue;
      used.set(part, (used.get(part) ?? 0) + now - (this.#before.get(pid)?.seconds ?? 0));
    }
    return new Map([...used].map(([part, time]) => [part, time / seconds]));
  }

  /**
   * The processor time of the suite and PostgreSQL since the start, in milliseconds, divided by `count`. The load
   * generator and the bench are left out.
   */
  millisecondsEach(count: number): number {
    const seconds = (performance.now() - this.#began) / 1000;
    return millisecondsEach(this.busy(), count / seconds);
  }

  /** Such as "fhir-store 0.71, postgres 0.52 processors". */
  summary(): string {
    return summarized(this.busy());
  }

  #read(): Map<number, ProcessStat> {
    const found = new Map<number, ProcessStat>();
    for (const name of namesIn('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        found.set(Number(name), parseStat(readFileSync(`/proc/${name}/stat`, 'utf8')));
      } catch {
        // The process has ended.
      }
    }
    return found;
  }
}

/** The parts that generate and measure the load. */
const observers: ReadonlySet<string> = new Set(['load', 'bench']);

/**
 * The processor time of one request in milliseconds, over all parts except those that generate the load.
 * @param busy the number of processors that each part kept busy
 * @param rate requests per second
 */
export function millisecondsEach(busy: ReadonlyMap<string, number>, rate: number): number {
  const processors = [...busy].reduce((sum, [part, share]) => (observers.has(part) ? sum : sum + share), 0);
  return (processors * 1000) / rate;
}

/** The processor time of one request in each part in microseconds, as text; see `millisecondsEach`. */
export function microsecondsEach(busy: ReadonlyMap<string, number>, rate: number): string {
  const parts = [...busy]
    .map(([part, share]) => [part, Math.round((share * 1e6) / rate)] as const)
    .filter(([part, each]) => each >= 5 && !observers.has(part))
    .sort(([, one], [, other]) => other - one);
  return parts.length === 0 ? '' : `CPU ${parts.map(([part, each]) => `${part} ${each}`).join(', ')} µs`;
}

/** The average number of busy processors per part, as text, in descending order; parts near zero are omitted. */
export function summarized(busy: ReadonlyMap<string, number>): string {
  const parts = [...busy].filter(([, share]) => share >= 0.02).sort(([, one], [, other]) => other - one);
  return parts.length === 0
    ? ''
    : `${parts.map(([part, share]) => `${part} ${share.toFixed(2)}`).join(', ')} processors`;
}

/** The parent of a process; 0 when it is unknown. */
export function parentOf(pid: number): number {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).parent;
  } catch {
    return 0;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

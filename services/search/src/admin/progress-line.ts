import type { LoadProgress } from '../loading/load-bundle';

const updateIntervalMs = { terminal: 100, plain: 5000 } as const;

/** Progress of a load: on a terminal one line that is overwritten, else a new line every five seconds. */
export class ProgressLine {
  #shownAt = performance.now();
  #shown = false;

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly title: string,
  ) {}

  show({ bytes, size, organizations, endpoints }: LoadProgress): void {
    const now = performance.now();
    if (now - this.#shownAt < updateIntervalMs[this.stream.isTTY ? 'terminal' : 'plain']) return;
    this.#shownAt = now;
    this.#shown = true;
    const share = size ? ` ${String(Math.floor((100 * bytes) / size)).padStart(3)} %` : '';
    const text = `${this.title}:${share} ${(bytes / 1e6).toFixed(1)} MB, ${organizations} organizations, ${endpoints} endpoints`;
    this.stream.write(this.stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  clear(): void {
    if (this.#shown && this.stream.isTTY) this.stream.write('\r\u001b[K');
    this.#shown = false;
  }
}

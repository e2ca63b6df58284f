/** A request of the demo. */
export interface DemoRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
  /** Whether redirects are returned and not followed. */
  manualRedirect?: boolean;
  /** Whether the request is omitted from the output. */
  quiet?: boolean;
}

const paint = (code: number, text: string): string => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);

/** Prints the demo: numbered steps, HTTP requests, a progress bar. */
export class StepPrinter {
  #step = 0;

  step(title: string): void {
    process.stdout.write(`\n${paint(1, `${++this.#step}. ${title}`)}\n`);
  }

  request({ method, url, headers, form, json }: DemoRequest): void {
    const shown = [
      ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${shorten(value)}`),
      ...(form ? [decodeURIComponent(new URLSearchParams(shortenAll(form)).toString())] : []),
      ...(json === undefined ? [] : [`${JSON.stringify(json).slice(0, 120)}`]),
    ];
    process.stdout.write(
      `   ${paint(36, method)} ${shortenUrl(url)}\n${shown.map((line) => `       ${paint(2, line)}\n`).join('')}`,
    );
  }

  response(status: number, ms: number): void {
    process.stdout.write(`   ${paint(status < 400 ? 32 : 31, `← ${status}`)} ${paint(2, `${ms.toFixed(0)} ms`)}\n`);
  }

  say(text: string): void {
    process.stdout.write(`   ${text}\n`);
  }

  /** Redraws one line in a terminal; elsewhere it prints the last state only. */
  progress(done: number, total: number, text: string, last: boolean): void {
    const width = 30;
    const filled = total > 0 ? Math.round((done / total) * width) : 0;
    const line = `   [${'█'.repeat(filled)}${'░'.repeat(width - filled)}] ${text}`;
    if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001b[K${last ? '\n' : ''}`);
    else if (last) process.stdout.write(`${line}\n`);
  }
}

/** Shortens tokens and secrets to their first characters. */
function shorten(value: string): string {
  return value.replaceAll(/[A-Za-z0-9_-]{32,}/g, (long) => `${long.slice(0, 6)}…`);
}

function shortenAll(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shorten(value)]));
}

function shortenUrl(url: string): string {
  return shorten(url).replaceAll('%E2%80%A6', '…');
}

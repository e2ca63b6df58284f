import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Interface, createInterface } from 'node:readline';

const kit = JSON.stringify(join(__dirname, '..', 'dist', 'index.js'));

const sandbox = { SANDBOX_MODE: 'true', PORT: '0', INTERNAL_PORT: '0', HOST: '127.0.0.1' };

/** A service with a route for each thing that can happen to it. */
const program = `
const kit = require(${kit});
let log;
let slow;
const app = (request, response) => {
  const path = request.url;
  if (path === '/slow') {
    slow = response;
    log.info('slow has come');
    return;
  }
  if (path === '/stream') return response.write('first piece');
  if (path === '/reject') Promise.reject(new Error('x'));
  if (path === '/seen') return response.end(JSON.stringify({ url: request.url, authorization: request.headers.authorization }));
  if (path === '/throw') setImmediate(() => { throw new Error('x'); });
  response.end('ok');
};
kit.runService({
  name: 'test',
  readConfig: () => kit.readConfig(require('zod').z.object(kit.commonConfig.shape)),
  start: async (_config, runtime) => {
    log = runtime.log;
    const authentication = kit.serviceKeyAuthentication(kit.ServiceKeys.of({ search: 'the key of the search' }), ['search']);
    const internalApp = (request, response) =>
      authentication.authenticate(request).then(
        (name) => response.end(name),
        (error) => response.writeHead(error.status).end(error.errorCode),
      );
    const closing = (withinMs) => {
      log.info('closing within ' + withinMs);
      // The servers close before this is run.
      setImmediate(() => slow?.end('late'));
    };
    return { publicApp: app, internalApp, ready: {}, closing, stop: async () => log.info('closed') };
  },
});`;

interface Line {
  level: number;
  msg: string;
  port?: number;
  internalPort?: number;
  healthPort?: number;
  metricsPort?: number;
}

/** A service in a process of its own. */
export class RunningService {
  readonly lines: Line[] = [];
  publicUrl = '';
  internalUrl = '';
  /** The exit code and the signal, once all lines have been read. */
  readonly exited: Promise<unknown[]>;
  private hasExited = false;

  private constructor(
    readonly child: ChildProcess,
    private readonly output: Interface,
  ) {
    output.on('line', (line) => this.lines.push(JSON.parse(line) as Line));
    this.exited = Promise.all([once(child, 'exit'), once(output, 'close')]).then(([exit]) => {
      this.hasExited = true;
      return exit;
    });
  }

  static async start(settings: Record<string, string> = {}): Promise<RunningService> {
    const child = spawn(process.execPath, ['-e', program], {
      cwd: join(__dirname, '..'),
      env: { PATH: process.env['PATH'], ...sandbox, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const running = new RunningService(child, createInterface({ input: child.stdout }));
    const serving = await running.line('serving');
    const scheme = settings['TLS_KEY_FILE'] === undefined ? 'http' : 'https';
    [running.publicUrl, running.internalUrl] = [
      `${scheme}://127.0.0.1:${serving.port}`,
      `${scheme}://127.0.0.1:${serving.internalPort}`,
    ];
    return running;
  }

  /** Waits until the line has been logged. */
  async line(message: string): Promise<Line> {
    for (;;) {
      const line = this.lines.find(({ msg }) => msg.startsWith(message));
      if (line) return line;
      if (this.hasExited)
        throw new Error(`it ended without the line ${message}: ${this.lines.map(({ msg }) => msg).join('; ')}`);
      await Promise.race([once(this.output, 'line'), this.exited]);
    }
  }

  async readiness(): Promise<unknown[]> {
    const answer = await fetch(`${this.internalUrl}/readyz`);
    return [answer.status, ((await answer.json()) as { status: string }).status];
  }
}

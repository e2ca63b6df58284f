import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const kit = JSON.stringify(join(__dirname, '..', 'dist', 'index.js'));

const sandbox = { SANDBOX_MODE: 'true', PORT: '0', INTERNAL_PORT: '0', HOST: '127.0.0.1' };

/** A service with a route for each thing that can happen to it. */
const program = `
const kit = require(${kit});
let log;
const app = (request, response) => {
  const path = request.url;
  if (path === '/slow') {
    process.once('SIGTERM', () => setTimeout(() => response.end('late'), 300));
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
    const authentication = kit.serviceKeyAuthentication(kit.ServiceKeys.of({ search: 'the key of the search' }));
    const internalApp = (request, response) =>
      authentication.authenticate(request).then(
        (name) => response.end(name),
        (error) => response.writeHead(error.status).end(error.errorCode),
      );
    return { publicApp: app, internalApp, ready: {}, closing: (withinMs) => log.info('closing within ' + withinMs), stop: async () => log.info('closed') };
  },
});`;

interface Line {
  level: number;
  msg: string;
  port?: number;
  internalPort?: number;
}

/** A service in a process of its own. */
export class RunningService {
  readonly lines: Line[] = [];
  publicUrl = '';
  internalUrl = '';

  private constructor(
    readonly child: ChildProcess,
    readonly exited: Promise<unknown[]>,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<RunningService> {
    const child = spawn(process.execPath, ['-e', program], {
      cwd: join(__dirname, '..'),
      env: { PATH: process.env['PATH'], ...sandbox, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout! });
    const running = new RunningService(
      child,
      Promise.all([once(child, 'exit'), once(lines, 'close')]).then(([exit]) => exit),
    );
    lines.on('line', (line) => running.lines.push(JSON.parse(line) as Line));
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
      if (this.child.exitCode !== null)
        throw new Error(`it ended without the line ${message}: ${this.lines.map(({ msg }) => msg).join('; ')}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async readiness(): Promise<unknown[]> {
    const answer = await fetch(`${this.internalUrl}/readyz`);
    return [answer.status, ((await answer.json()) as { status: string }).status];
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '@tributary/test-environment';
import { Json } from './http';
import { type Ready, addressVariables } from './ready';
import { admin } from './users';

/** The example application of a package, which runs as a client of the suite. */
export interface Example {
  process: ChildProcess;
  origin: string;
  /** What it has written to its standard error so far. */
  errors(): string;
}

/**
 * Starts an example on a free port, as a new client whose redirect_uri is `/connected` of it.
 * @param options of `client create`, from the origin of the example
 */
export async function startExample(
  ready: Ready,
  program: string,
  name: string,
  options: (origin: string) => string[] = () => [],
): Promise<Example> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const words = ['--name', name, '--redirect-uri', `${origin}/connected`, ...options(origin), '--json'];
  const client = new Json(JSON.parse(await admin('client', 'create', ...words)));
  const example = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      ...addressVariables(ready),
      CLIENT_ID: client.text('client_id'),
      CLIENT_SECRET: client.text('client_secret'),
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  example.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  await Promise.race([
    once(example.stdout, 'data'),
    once(example, 'exit').then(() => Promise.reject(new Error(`the example ended: ${stderr}`))),
  ]);
  return { process: example, origin, errors: () => stderr };
}

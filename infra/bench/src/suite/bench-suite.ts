import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  Addresses,
  type RunningSuite,
  SuiteCertificates,
  findRunningSuite,
  openHome,
  raisedLimits,
  startSuite,
} from '@tributary/local';
import { reachableTemporaryDirectory } from '@tributary/local-databases';
import type { Options } from '../options';
import { inspectorPortOffset } from '../profile/inspector';
import { certificateFolder } from './trusting-process';

export const repository = resolve(__dirname, '../../../..');

/** The suite that is measured. */
export interface BenchSuite {
  running: RunningSuite;
  addresses: Addresses;
  /** Whether the bench started the suite. In another suite the bench deletes its users at the end. */
  own: boolean;
  stop(): Promise<void>;
}

/** Starts a suite with separate data, or uses the running suite when the options say so. */
export async function openSuite(options: Options, log: (message: string) => void): Promise<BenchSuite> {
  return options.running ? takeRunning() : startOwn(options, log);
}

function takeRunning(): BenchSuite {
  const running = findRunningSuite(
    join(resolve(process.env['TRIBUTARY_HOME'] ?? join(repository, '.tributary')), 'running.json'),
  );
  if (!running)
    throw new Error(
      'no suite runs here: start one whose rate limits are raised by RATE_LIMIT_PER_HOUR and RATE_LIMITS, or leave out --running',
    );
  return {
    running,
    addresses: new Addresses(Number(new URL(running.ready.base_url).port)),
    own: false,
    stop: () => Promise.resolve(),
  };
}

async function startOwn(
  { portBase, profile, tls, audit, replicas }: Options,
  log: (message: string) => void,
): Promise<BenchSuite> {
  const root = mkdtempSync(join(reachableTemporaryDirectory(), 'tributary-bench-'));
  chmodSync(root, 0o755); // The databases may run as another user.
  const inherited = {
    NODE_ENV: 'production',
    ...raisedLimits,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    ...(profile ? { NODE_OPTIONS: `--inspect-port=127.0.0.1:${portBase + inspectorPortOffset}` } : {}),
  };
  try {
    const certificates = tls ? await SuiteCertificates.open(certificateFolder()) : undefined;
    const home = await openHome(root, false);
    const suite = await startSuite({
      repository,
      home,
      portBase,
      replicas,
      inherited,
      certificates,
      isAudited: audit,
      warn: log,
    });
    return {
      running: suite.running,
      addresses: new Addresses(portBase, replicas, tls ? 'https' : 'http'),
      own: true,
      stop: async () => {
        await suite.stop();
        rmSync(root, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    throw error;
  }
}

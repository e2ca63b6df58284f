import { join } from 'node:path';
import { Progress } from './progress';
import { portBaseOf } from './suite/addresses';
import { SuiteCertificates } from './suite/certificates';
import { openHome } from './suite/home';
import { type ReadyEvent, findRunningSuite } from './suite/running';
import { awaitInterrupt } from './suite/interrupt';
import type { RedisMode } from './suite/redis';
import { startSuite } from './suite/suite';
import { welcome } from './welcome';

export interface StartCommand {
  repository: string;
  homeDirectory: string;
  fresh: boolean;
  json: boolean;
  /** Over TLS, with certificates of a temporary authority. */
  tls: boolean;
  /** The folder with the records of the sandbox. */
  records?: string;
  replicas: number;
  redis: RedisMode;
  objectStorage: boolean;
  pgbouncer: boolean;
  readReplica: boolean;
}

/** Variables that every process of the suite inherits. */
const passedOn =
  /^(?:LOG_LEVEL|NODE_ENV|RATE_LIMIT_PER_HOUR|RATE_LIMITS|LIMIT_FHIR_CONCURRENT|SECRET_ACTIVATION_SECONDS|CALL_TIMEOUT_SECONDS)$/;

/** `npm start`: runs the suite until it is interrupted. */
export async function start(command: StartCommand): Promise<void> {
  const already = findRunningSuite(join(command.homeDirectory, 'running.json'));
  if (already)
    throw new Error(
      `the suite already runs here (process ${already.pid}): ${already.ready.base_url}. Stop it first, or set TRIBUTARY_HOME and PORT_BASE for a second one`,
    );
  const interrupted = awaitInterrupt();
  const progress = new Progress('starting');
  let started = false;
  void interrupted.signal.then(() => {
    if (!started) progress.warn('stopping as soon as everything has started');
  });
  const home = await openHome(command.homeDirectory, command.fresh);
  const suite = await startSuite({
    repository: command.repository,
    home,
    certificates: command.tls
      ? await SuiteCertificates.open(process.env['TRIBUTARY_CERTIFICATES'] ?? home.certificates)
      : undefined,
    portBase: portBaseOf(process.env['PORT_BASE']),
    replicas: command.replicas,
    redis: command.redis,
    hasObjectStorage: command.objectStorage,
    hasPgBouncer: command.pgbouncer,
    hasReadReplica: command.readReplica,
    recordsDirectory: command.records,
    inherited: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value && passedOn.test(name) ? [[name, value]] : [])),
    ),
    warn: (message) => progress.warn(message),
  }).catch((error: unknown) => {
    progress.fail();
    throw error;
  });
  started = true;
  progress.done();
  if (!interrupted.already()) announce(suite.running.ready, command.json);
  await interrupted.signal;
  const stopping = new Progress('stopping');
  await suite.stop();
  stopping.done();
}

function announce(ready: ReadyEvent, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(ready)}\n` : welcome(ready));
}

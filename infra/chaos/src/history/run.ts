import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { objectStorageConfig, objectStorageFrom } from '@tributary/object-storage';
import { RecordStorage } from '@tributary/record-storage';
import { openPool, readConfig } from '@tributary/service-kit';
import { Random } from '@tributary/test-environment';
import { type Violation, checkStatuses, checkUser } from './check';
import { readFinalState } from './final-state';
import { keepCompacting, keepExporting } from './background';
import { runClient } from './client';
import { causeCrashes } from './crashes';
import { exportSourceOf } from './export-source';
import type { Form } from './form';
import type { Operation } from './operation';
import { type Subject, uuid } from './requests';
import { Suite } from './suite';

/** What a run without a duration does. */
const shortRun = { requests: 1500, crashes: 3 };
const secondsPerCrash = 15;
/** The requests that are sent at once. */
const clients = 12;
const users = [1, 2];
/** The resources of each record whose ids clients assign. */
const resourcesPerUser = 6;
/** With an object storage. */
const largeBinariesPerUser = 2;

export interface Options {
  seed: number;
  /** Undefined: a bounded number of requests, however slow the machine is. */
  seconds: number | undefined;
  form: Form;
}

export interface Report {
  readonly seconds: number;
  readonly operations: readonly Operation[];
  readonly crashes: readonly string[];
  readonly compactions: number;
  readonly exports: number;
  readonly versions: number;
  readonly resources: number;
  readonly violations: readonly Violation[];
}

/** Starts a suite, runs the load and checks the histories. */
export async function runHistoryCheck(
  options: Options,
  log: (message: string) => void = () => undefined,
): Promise<Report> {
  const suite = await Suite.start(options.form);
  log('two replicas serve');
  try {
    return await runAgainst(suite, options, log);
  } finally {
    await suite.stop();
  }
}

async function runAgainst(suite: Suite, options: Options, log: (message: string) => void): Promise<Report> {
  const random = new Random(options.seed);
  const subjects = users.map((user): Subject => ({
    user,
    token: suite.auth.addToken('history', user),
    ids: Array.from({ length: resourcesPerUser }, () => uuid(random)),
    largeIds: Array.from({ length: options.form.objectStorage ? largeBinariesPerUser : 0 }, () => uuid(random)),
    slots: ['1', '2', '3'],
    versions: new Map(),
  }));
  const { url, replicaUrl } = suite.database;
  const open = (address: string) => openPool(address, 'fhir_store', { size: 6 }).on('error', () => undefined);
  const pool = open(url);
  const replicaPool = replicaUrl === undefined ? undefined : open(replicaUrl);
  const kek = await LocalKeyEncryptionKey.fromFile(suite.keyEncryptionKeyFile);
  const objects = await objectStorageFrom(readConfig(objectStorageConfig, suite.objectStorage));
  const storage = new RecordStorage({ pool, kek, objects });
  const exportSource = exportSourceOf({ primary: pool, replica: replicaPool, objects }, kek);
  try {
    const operations: Operation[] = [];
    let answered = 0;
    let ended = false;
    const began = performance.now();
    const secondsPassed = (): number => (performance.now() - began) / 1000;
    const { seconds } = options;
    const progress = (): number => (seconds === undefined ? answered / shortRun.requests : secondsPassed() / seconds);
    const kills = seconds === undefined ? shortRun.crashes : Math.floor(seconds / secondsPerCrash);
    const isOver = (): boolean => ended || progress() >= 1;
    const record = (operation: Operation): void => {
      operations.push(operation);
      if (operation.outcome !== 'unknown' && operation.status !== undefined) answered++;
    };
    const replicaUrls = suite.replicas.map(({ url }) => url);
    const crashing = causeCrashes(suite, random, kills, progress, isOver);
    const background = Promise.all([
      keepCompacting(storage, users, isOver),
      keepExporting(exportSource, users, isOver),
    ]);
    const load = Array.from({ length: clients }, (_, number) =>
      runClient({ number, random: random.fork(), replicaUrls, subjects, record }, isOver),
    );
    const all = Promise.all([crashing, background, ...load]);
    const [crashes, [compactions, exports]] = await all.finally(() => (ended = true));
    log(`${operations.length} requests, killed: ${crashes.join(', ') || 'nothing'}; now comparing`);
    await suite.recovered();
    const finals = await Promise.all(
      subjects.map((subject) => readFinalState(random.pick(replicaUrls), exportSource, subject)),
    );
    const violations = finals.flatMap((final) =>
      checkUser(ofUser(operations, final.user), ofUser(exports.done, final.user), final),
    );
    return {
      seconds: secondsPassed(),
      operations,
      crashes,
      compactions: compactions.done.length,
      exports: exports.done.length,
      versions: finals.reduce((sum, { history }) => sum + history.length, 0),
      resources: finals.reduce((sum, { reads }) => sum + reads.size, 0),
      violations: [
        ...checkStatuses(operations),
        ...compactions.failures.map((details) => ({ rule: 'compaction never fails', details })),
        ...exports.failures.map((details) => ({ rule: 'exports never fail', details })),
        ...violations,
      ],
    };
  } finally {
    await storage.close();
    await replicaPool?.end();
    await pool.end();
  }
}

function ofUser<T extends { readonly user: number }>(items: readonly T[], user: number): T[] {
  return items.filter((item) => item.user === user);
}

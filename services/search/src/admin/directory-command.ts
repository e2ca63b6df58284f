import { openSync, writeSync } from 'node:fs';
import { type ClientMode, type FhirVersion, clientMode, fhirVersion } from '@tributary/contracts';
import { argument, openPool, readConfig, withoutTimeLimits } from '@tributary/service-kit';
import { Command, Option } from 'commander';
import type { Pool } from 'pg';
import { adminConfig } from '../config';
import { migrateSearchDatabase, schema } from '../directory/migrations';
import { sourceNameOf } from '../loading/file-source';
import { loadFile } from '../loading/load-file';
import type { Rejection } from '../loading/load-report';
import { assertSource, listSources, removeSource } from '../loading/sources';
import { deleteForgotten, selectAddresses } from '../verification/endpoint-checks';
import { EndpointProbe } from '../verification/probe-endpoint';
import {
  NoHostResponded,
  type VerifyOptions,
  type VerifyReport,
  verifyEndpoints,
} from '../verification/verify-endpoints';
import { formatLoading, formatReport, formatVerification, formatVerifying } from './format-report';
import { ProgressLine } from './progress-line';

interface LoadFlags {
  source?: string;
  mode?: ClientMode;
  release?: FhirVersion;
  verify: boolean;
  keepTestSystems: boolean;
  force: boolean;
  json: boolean;
  rejects?: string;
}

interface VerifyFlags {
  source?: string;
  all: boolean;
  concurrency: number;
  json: boolean;
}

/** The time limit of a request to an endpoint. */
const requestTimeoutMs = 10_000;
const defaultConcurrency = 20;
const perHost = 2;

/** `directory load FILE…`, `directory verify`, `directory sources`, `directory remove SOURCE`. */
export function directoryCommand(): Command {
  const directory = new Command('directory').description('loads, verifies and lists the directory of health systems');
  directory
    .command('load')
    .description(
      'loads SMART User-access Brands bundles, or endpoint lists as Lantern publishes them; each file is a source of its own, and replaces what the same source named before',
    )
    .argument('<file...>', '.json or .json.gz files, or http(s) URLs (requested with If-None-Match when loaded again)')
    .option('--source <name>', 'the name of the source, instead of the file name; for a single file')
    .addOption(
      new Option(
        '--mode <mode>',
        'which clients see the health systems: test for the sandbox and other test systems; otherwise the mode stays as it was, and is live for a new source',
      ).choices(clientMode.options),
    )
    .addOption(
      new Option(
        '--release <release>',
        'the FHIR release of endpoints that name none, also not in their address',
      ).choices(fhirVersion.options),
    )
    .option(
      '--no-verify',
      'do not request the release of endpoints from /metadata; endpoints that name none are left out',
    )
    .option(
      '--keep-test-systems',
      'load rows of endpoint lists whose address is that of a test system; with --mode test only',
      false,
    )
    .option(
      '--force',
      'load although more than a fifth of the entries of the source would be removed, or although nothing changed',
      false,
    )
    .option('--rejects <path>', 'write every rejected resource with its reason to this file, as one JSON object a line')
    .option('--json', 'print one line of JSON for each file', false)
    .action(load);
  directory
    .command('verify')
    .description(
      'requests the FHIR version, software and SMART configuration of the endpoints, and stores them; an endpoint that failed twice is ranked last. Can be interrupted and continued',
    )
    .option('--source <name>', 'only endpoints of this source')
    .option('--all', 'also endpoints whose last check is not due', false)
    .option(
      '--concurrency <number>',
      `requests at a time, at most ${perHost} at one host`,
      positiveInteger,
      defaultConcurrency,
    )
    .option('--json', 'print JSON', false)
    .action(verify);
  directory
    .command('sources')
    .description('lists the sources of the directory')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      const sources = await withDatabase((pool) => listSources(pool));
      if (json) print(JSON.stringify(sources));
      else
        for (const { name, mode, origin, loaded_at, total } of sources)
          print(`${name}\t${mode}\t${total} health systems\tloaded ${loaded_at} from ${origin}`);
    });
  directory
    .command('remove')
    .description('removes all health systems of a source from the directory')
    .argument('<source>')
    .action(async (source: string) => {
      const removed = await withDatabase((pool) => removeSource(pool, source));
      print(`${removed} health systems of ${source} were removed`);
    });
  return directory;
}

async function load(
  files: string[],
  { source, mode, release, verify: verifies, keepTestSystems, force, json, rejects }: LoadFlags,
): Promise<void> {
  if (source !== undefined && files.length > 1) throw new Error('--source names the source of a single file');
  if (keepTestSystems && mode !== 'test')
    throw new Error('--keep-test-systems needs --mode test: live clients never see test systems');
  const sources = files.map((file) => source ?? sourceNameOf(file));
  const twice = sources.find((name, index) => sources.indexOf(name) !== index);
  if (twice !== undefined)
    throw new Error(`two of the files would both be the source ${twice}; load them one by one with --source`);
  const { SANDBOX_MODE: sandbox } = readConfig(adminConfig);
  const rejectsFile = rejects === undefined ? undefined : openSync(rejects, 'w');
  const line = new ProgressLine(process.stderr);
  try {
    await withDatabase(async (pool) => {
      for (const [index, origin] of files.entries()) {
        let rejections: readonly Rejection[] = [];
        const report = await loadFile(pool, {
          origin,
          source: sources[index]!,
          force,
          sandbox,
          keepTestSystems,
          mode,
          release,
          verify: verifies ? (addresses) => findReleases({ pool, addresses, line }) : undefined,
          onProgress: (progress) => line.show(() => formatLoading(origin, progress)),
          onRejections: (found) => (rejections = found),
        }).finally(() => {
          if (rejectsFile !== undefined)
            for (const rejection of rejections)
              writeSync(rejectsFile, `${JSON.stringify({ source: sources[index], ...rejection })}\n`);
        });
        line.clear();
        print(json ? JSON.stringify(report) : formatReport(report));
      }
    });
  } finally {
    line.clear();
  }
}

/** Probes endpoints for their releases. The rest of the file is loaded even when some remain unknown. */
async function findReleases({
  addresses,
  ...rest
}: {
  pool: Pool;
  addresses: string[];
  line: ProgressLine;
}): Promise<void> {
  try {
    await verifyWithProgress({ ...rest, addresses: new Map(addresses.map((address) => [address, []])) });
  } catch (error) {
    if (!(error instanceof NoHostResponded)) throw error;
    process.stderr.write(`${error.message}\n`);
  }
}

async function verify({ source, all, concurrency, json }: VerifyFlags): Promise<void> {
  const line = new ProgressLine(process.stderr);
  const recheckBefore = all ? new Date() : undefined;
  try {
    const report = await withDatabase(async (pool) => {
      if (source !== undefined) await assertSource(pool, source);
      const addresses = await selectAddresses(pool, source);
      if (source === undefined) await deleteForgotten(pool, [...addresses.keys()]);
      return verifyWithProgress({ pool, addresses, line, concurrency, recheckBefore });
    });
    line.clear();
    print(json ? JSON.stringify(report) : formatVerification(report));
  } finally {
    line.clear();
  }
}

function verifyWithProgress({
  line,
  concurrency = defaultConcurrency,
  ...options
}: Pick<VerifyOptions, 'pool' | 'addresses' | 'recheckBefore'> & {
  line: ProgressLine;
  concurrency?: number;
}): Promise<VerifyReport> {
  const began = performance.now();
  return verifyEndpoints({
    ...options,
    probe: new EndpointProbe({ sandbox: readConfig(adminConfig).SANDBOX_MODE, timeoutMs: requestTimeoutMs }),
    concurrency: { overall: concurrency, perHost: Math.min(perHost, concurrency) },
    onProgress: (progress) => line.show(() => formatVerifying(progress, performance.now() - began)),
  });
}

const positiveInteger = argument(
  (text) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined),
  'It must be an integer from 1 to 9999.',
);

async function withDatabase<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
  const database = withoutTimeLimits(readConfig(adminConfig));
  await migrateSearchDatabase(database);
  const pool = openPool(database, schema, { size: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

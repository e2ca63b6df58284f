import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { migrateDatabase, openPool, readConfig, withoutTimeLimits } from '@tributary/service-kit';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { adminConfig } from '../config';
import { migrations, schema } from '../directory/migrations';
import { sourceNameOf } from '../loading/bundle-source';
import { loadBundle } from '../loading/load-bundle';
import type { Rejection } from '../loading/load-report';
import { listSources, removeSource } from '../loading/sources';
import { formatReport } from './format-report';
import { ProgressLine } from './progress-line';

interface LoadFlags {
  source?: string;
  force: boolean;
  json: boolean;
  rejects?: string;
}

/** `directory load FILE…`, `directory sources`, `directory remove SOURCE`. */
export function directoryCommand(): Command {
  const directory = new Command('directory').description('loads and lists the directory of health systems');
  directory
    .command('load')
    .description(
      'loads SMART User-access Brands bundles; each file is a source of its own, and replaces what the same source named before',
    )
    .argument('<file...>', '.json or .json.gz files, or http(s) URLs (requested with If-None-Match when loaded again)')
    .option('--source <name>', 'the name of the source, instead of the file name; for a single file')
    .option(
      '--force',
      'load although more than a fifth of the entries of the source would be removed, or although nothing changed',
      false,
    )
    .option('--rejects <path>', 'write every rejected resource with its reason to this file, as one JSON object a line')
    .option('--json', 'print one line of JSON for each file', false)
    .action(load);
  directory
    .command('sources')
    .description('lists the sources of the directory')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      const sources = await withDatabase((pool) => listSources(pool));
      if (json) print(JSON.stringify(sources));
      else
        for (const { name, origin, loaded_at, total } of sources)
          print(`${name}\t${total} health systems\tloaded ${loaded_at} from ${origin}`);
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

async function load(files: string[], { source, force, json, rejects }: LoadFlags): Promise<void> {
  if (source !== undefined && files.length > 1) throw new Error('--source names the source of a single file');
  const sources = files.map((file) => source ?? sourceNameOf(file));
  const twice = sources.find((name, index) => sources.indexOf(name) !== index);
  if (twice !== undefined)
    throw new Error(`two of the files would both be the source ${twice}; load them one by one with --source`);
  const { SANDBOX_MODE: sandbox } = readConfig(adminConfig);
  const rejections = rejects === undefined ? undefined : createWriteStream(rejects);
  await withDatabase(async (pool) => {
    for (const [index, origin] of files.entries()) {
      const line = new ProgressLine(process.stderr, origin);
      const onRejection = (rejection: Rejection): void =>
        void rejections?.write(`${JSON.stringify({ source: sources[index], ...rejection })}\n`);
      try {
        const report = await loadBundle(pool, {
          origin,
          source: sources[index]!,
          force,
          sandbox,
          onProgress: (progress) => line.show(progress),
          onRejection,
        });
        line.clear();
        print(json ? JSON.stringify(report) : formatReport(report));
      } finally {
        line.clear();
      }
    }
  });
  if (rejections) await finished(rejections.end());
}

async function withDatabase<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
  const database = withoutTimeLimits(readConfig(adminConfig));
  await migrateDatabase({ database, schema, entities: [], migrations });
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

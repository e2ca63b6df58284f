import type { ExportedFile } from '@tributary/contracts';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { MemoryWatch, overTime } from '../suite/resident-memory';
import type { BenchContext } from '../bench-context';
import { type Encoding, clientHeaders, download, startExport } from './downloading';

interface Downloaded {
  bytes: number;
  seconds: number;
  firstByte: number;
  processors: string;
  processorMs: number;
}

/** Exports all users in one stream, plain and gzipped, and compares with COPY … TO STDOUT of the same lines. */
export async function bulkExport(context: BenchContext): Promise<Figure[]> {
  const memory = new MemoryWatch(context.pidOf('analytics-export'));
  const manifest = await startExport(context, clientHeaders(context));
  const resources = manifest.files.reduce((sum, { count }) => sum + count, 0);
  await keepLines(context, manifest.files, resources);
  const plain = await downloadAll(context, manifest.files, 'identity', resources);
  context.log(`export: ${Math.round(resources / plain.seconds)} resources/s`);
  const zipped = await downloadAll(context, manifest.files, 'gzip', resources);
  context.log(`  gzip: ${Math.round(resources / zipped.seconds)} resources/s`);
  const most = memory.stop();
  const bare = await context.bare.copyOut('COPY fhir_store.bench_line TO STDOUT');
  context.log(`  bare: ${Math.round(resources / bare.seconds)} lines/s`);
  const figure = (work: string, unit: Figure['unit'], value: number, more: Partial<Figure> = {}): Figure => ({
    scenario: 'export',
    work,
    unit,
    value,
    ...more,
  });
  return [
    figure('export, resources', '/s', resources / plain.seconds, {
      bare: resources / bare.seconds,
      processorMs: plain.processorMs,
      goal: goals.exportRate,
      note: `${resources} resources in ${manifest.files.length} files, one after the other; bare: COPY TO STDOUT of the same lines; ${plain.processors}`,
    }),
    figure('export, NDJSON', 'MB/s', plain.bytes / 1e6 / plain.seconds, {
      bare: bare.bytes / 1e6 / bare.seconds,
      goal: goals.exportBytes,
    }),
    figure('export gzipped, resources', '/s', resources / zipped.seconds, {
      bare: resources / bare.seconds,
      processorMs: zipped.processorMs,
      note: `${(plain.bytes / 1e6 / zipped.seconds).toFixed(1)} MB/s of NDJSON in ${(zipped.bytes / 1e6).toFixed(1)} MB sent; ${zipped.processors}`,
    }),
    figure('export, manifest', 'ms', manifest.milliseconds, { goal: goals.manifest }),
    figure('export, first byte at the latest', 'ms', Math.max(plain.firstByte, zipped.firstByte), {
      goal: goals.firstByte,
    }),
    figure("export, service's memory at most", 'MB', most, {
      goal: goals.exportMemory,
      note: overTime(memory.samples),
    }),
  ];
}

/** Copies the exported lines into a bare table, and checks their number against the manifest. */
async function keepLines(context: BenchContext, files: readonly ExportedFile[], resources: number): Promise<void> {
  let lines = 0;
  const headers = clientHeaders(context);
  await context.bare.copyIn(
    'COPY fhir_store.bench_line FROM STDIN',
    (async function* () {
      for (const file of files) {
        for await (const piece of download(file, headers, 'identity')) {
          for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines++;
          yield piece.includes(92) ? Buffer.from(piece.toString('latin1').replaceAll('\\', '\\\\'), 'latin1') : piece;
        }
      }
    })(),
  );
  if (lines !== resources) throw new Error(`the manifest promises ${resources} resources and the files have ${lines}`);
}

async function downloadAll(
  context: BenchContext,
  files: readonly ExportedFile[],
  encoding: Encoding,
  resources: number,
): Promise<Downloaded> {
  const headers = clientHeaders(context);
  const time = context.processorTime();
  const began = performance.now();
  let bytes = 0;
  let firstByte = 0;
  await context.profiled(`export, ${encoding}`, async () => {
    for (const file of files)
      for await (const piece of download(
        file,
        headers,
        encoding,
        (milliseconds) => (firstByte = Math.max(firstByte, milliseconds)),
      ))
        bytes += piece.length;
  });
  return {
    bytes,
    seconds: (performance.now() - began) / 1000,
    firstByte,
    processors: time.summary(),
    processorMs: time.millisecondsEach(resources),
  };
}

import { existsSync, readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { releases, type Release } from '../releases';

/** One file of a records directory. */
export interface RecordFile {
  release: Release;
  /** The file name without its extensions. */
  stem: string;
  path: string;
  kind: 'ndjson' | 'bundle';
}

/** The folders of each release: named by the release, or as Synthea names its output folders. */
const folderNames: Record<Release, string[]> = {
  dstu2: ['dstu2', 'fhir_dstu2'],
  stu3: ['stu3', 'fhir_stu3'],
  r4: ['r4', 'fhir', 'fhir_r4'],
};

const ndjsonEnding = /\.ndjson(\.gz)?$/;
const bundleEnding = /(\.bundle)?\.json(\.gz)?$/;

const unzip = promisify(gunzip);

/** Every file of a records directory. A directory without release folders holds R4. */
export function recordFilesIn(directory: string): RecordFile[] {
  if (!existsSync(directory)) throw new Error(`the records directory ${directory} is not there`);
  const folders = releases.flatMap((release) =>
    folderNames[release]
      .map((name) => ({ release, path: join(directory, name) }))
      .filter(({ path }) => existsSync(path)),
  );
  const searched = folders.length > 0 ? folders : [{ release: 'r4' as const, path: directory }];
  return searched.flatMap(({ release, path }) =>
    withoutTwins([...filesIn(release, path), ...filesIn(release, join(path, 'bundles'))]),
  );
}

/** The text of a file, decompressed if necessary, and its modification time. */
export async function readRecordFile(file: RecordFile): Promise<{ text: string; writtenAt: number }> {
  const [bytes, facts] = await Promise.all([readFile(file.path), stat(file.path)]);
  const plain = file.path.endsWith('.gz') ? await unzip(bytes) : bytes;
  return { text: plain.toString('utf8').replace(/^\uFEFF/, ''), writtenAt: Math.floor(facts.mtimeMs) };
}

function filesIn(release: Release, folder: string): RecordFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name): RecordFile[] => {
      const path = join(folder, name);
      if (ndjsonEnding.test(name)) return [{ release, path, stem: name.replace(ndjsonEnding, ''), kind: 'ndjson' }];
      if (bundleEnding.test(name)) return [{ release, path, stem: name.replace(bundleEnding, ''), kind: 'bundle' }];
      return [];
    });
}

/** Of an NDJSON file and a Bundle with the same name, only the NDJSON file is used. */
function withoutTwins(files: RecordFile[]): RecordFile[] {
  const ndjson = new Set(files.filter((file) => file.kind === 'ndjson').map((file) => file.stem));
  return files.filter((file) => file.kind === 'ndjson' || !ndjson.has(file.stem));
}

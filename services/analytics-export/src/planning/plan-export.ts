import { type Release, releases } from '@tributary/fhir-definitions';
import { type ExportFile, type ExportScope, type ExportSelection, type FileLimits, type Kind, type RecordExport, releaseOfKind } from '@tributary/record-storage';
import { bundlesFor } from '../files/deletion-bundles';
import type { DeletionFile, IssueFile, ResourceFile } from '../files/file-description';
import { canFilter, lineFilter } from '../filters/line-filter';
import { type LineSelection, leavesOutLines } from '../filters/line-selection';
import type { ExportRequest } from '../requests/export-request';
import { kindsOfType } from '../requests/kinds-of-types';
import { requirePatients } from './known-patients';

/** The files of an export. */
export interface ExportPlan {
  output: ResourceFile[];
  deleted: DeletionFile[];
  error: IssueFile[];
}

export interface PlanOptions {
  /** Told how much is done, from 0 to 1; may wait, or throw to give up. */
  progress?(done: number): Promise<void>;
  /** Where a file that leaves out lines finds its selection, instead of in its own token. */
  job?: string;
}

/** Plans exports, the synchronous and the asynchronous ones alike. */
export class ExportPlanner {
  constructor(
    private readonly reader: RecordExport,
    private readonly limits: FileLimits,
  ) {}

  /**
   * @param at the snapshot, exclusive
   * @throws HttpError 400 for patients that are not in the scope
   */
  async plan(scope: ExportScope, { types, since, lines = {} }: ExportRequest, at: number, options: PlanOptions = {}): Promise<ExportPlan> {
    const selection: ExportSelection = { scope, at, ...(since === undefined ? {} : { since }), ...(types ? { kinds: types.flatMap(kindsOfType) } : {}) };
    if (lines.patients) await requirePatients(this.reader, scope, at, lines.patients);
    const files = await this.reader.plan({ ...selection, ...this.limits });
    const usable = new Set([...new Set(files.map(({ kind }) => kind))].filter((kind) => canFilter(kind, lines, at)));
    return {
      output: await this.#selected(files.filter(({ kind }) => usable.has(kind)), lines, options),
      deleted: since === undefined ? [] : await this.#deletions({ ...selection, since }),
      error: leftOut(files.filter(({ kind }) => !usable.has(kind))),
    };
  }

  /** Files with what is left of their lines, counted by looking where lines are left out; without those that end up empty. */
  async #selected(files: readonly ExportFile[], lines: LineSelection, { progress, job }: PlanOptions): Promise<ResourceFile[]> {
    const output: ResourceFile[] = [];
    for (const [i, file] of files.entries()) {
      const filter = lineFilter(file.kind, lines, file.at);
      const count = filter && leavesOutLines(lines) ? await this.#count(file, filter) : file.count;
      if (count > 0) output.push({ of: 'resources', file: { ...file, count }, ...(filter ? (job === undefined ? { selection: lines } : { job }) : {}) });
      await progress?.((i + 1) / files.length);
    }
    return output;
  }

  async #count(file: ExportFile, filter: (line: Buffer) => Buffer | undefined): Promise<number> {
    let count = 0;
    // Every line is handed on, so that the reader pauses between pieces as in a download.
    const counting = (line: Buffer): Buffer => {
      if (filter(line)) count++;
      return line;
    };
    const pieces = this.reader.streamFile(file, { encoding: 'identity', filter: counting })[Symbol.asyncIterator]();
    while (!(await pieces.next()).done);
    return count;
  }

  async #deletions(selection: DeletionFile['selection']): Promise<DeletionFile[]> {
    const deletions: Record<Release, number> = { dstu2: 0, stu3: 0, r4: 0 };
    for await (const chunk of this.reader.deletions(selection)) for (const { kind } of chunk) deletions[releaseOfKind(kind)]++;
    return releases
      .filter((release) => deletions[release] > 0)
      .map((release) => ({ of: 'deletions', selection, release, count: bundlesFor(deletions[release]) }));
  }
}

function leftOut(files: readonly ExportFile[]): IssueFile[] {
  const resources = new Map<Kind, IssueFile>();
  for (const { scope, at, kind, count } of files) resources.set(kind, { of: 'issue', scope, at, kind, resources: count + (resources.get(kind)?.resources ?? 0) });
  return [...resources.values()];
}

import { type Release, releases } from '@tributary/fhir-definitions';
import { type ExportScope, type ExportSelection, type FileLimits, type RecordExport, releaseOfKind } from '@tributary/record-storage';
import { bundlesFor } from '../files/deletion-bundles';
import type { DeletionFile, FileDescription } from '../files/file-description';
import type { ExportRequest } from '../requests/export-request';
import { kindsOfType } from '../requests/kinds-of-types';

/** The files of an export. */
export interface ExportPlan {
  output: FileDescription[];
  deleted: FileDescription[];
}

/** Plans exports, the synchronous and the asynchronous ones alike. */
export class ExportPlanner {
  constructor(
    private readonly reader: RecordExport,
    private readonly limits: FileLimits,
  ) {}

  /** @param at the snapshot, exclusive */
  async plan(scope: ExportScope, { types, since }: ExportRequest, at: number): Promise<ExportPlan> {
    const selection: ExportSelection = { scope, at, ...(since === undefined ? {} : { since }), ...(types ? { kinds: types.flatMap(kindsOfType) } : {}) };
    const files = await this.reader.plan({ ...selection, ...this.limits });
    return {
      output: files.map((file) => ({ of: 'resources', file })),
      deleted: since === undefined ? [] : await this.#deletions({ ...selection, since }),
    };
  }

  async #deletions(selection: DeletionFile['selection']): Promise<DeletionFile[]> {
    const deletions: Record<Release, number> = { dstu2: 0, stu3: 0, r4: 0 };
    for await (const chunk of this.reader.deletions(selection)) for (const { kind } of chunk) deletions[releaseOfKind(kind)]++;
    return releases
      .filter((release) => deletions[release] > 0)
      .map((release) => ({ of: 'deletions', selection, release, count: bundlesFor(deletions[release]) }));
  }
}

import type { KeyEncryptionKey } from '@tributary/key-vault';
import type { Pool } from 'pg';
import { RecordKeyStore } from '../keys/record-key-store';
import { type DeletedResource, readDeletions } from './deletions';
import type { TypeCode } from '../type-codes';
import type { ExportFile, ExportScope, ExportSelection } from './export-file';
import { type BlockFilter, type FileBlock, fileLines } from './file-lines';
import { findResources } from './find-resources';
import { type PlanOptions, type PlanState, planExport, planSteps, plannedFiles } from './plan';
import { assertClientKeysFit } from '../maintenance/check-keys';
import { MAX_LEAD_MS } from '../write/commit-timestamps';
import { takeSnapshot } from './snapshot-time';
import { type StreamOptions, streamFile } from './stream-file';

export interface RecordExportOptions {
  /** Of a role that may read the storage. */
  readonly pool: Pool;
  readonly kek: KeyEncryptionKey;
}

/** How long writers that are at work when a snapshot is asked for are waited for. */
const MAX_WAIT_MS = 1000;

/** Each file of an export goes over the same users again. About 1 KB each. */
const CACHED_KEYS = 20_000;

/** Exports of records, as of a moment. It only reads. */
export class RecordExport {
  private readonly pool: Pool;
  private readonly kek: KeyEncryptionKey;
  private readonly keyStore: RecordKeyStore;

  constructor({ pool, kek }: RecordExportOptions) {
    this.pool = pool;
    this.kek = kek;
    this.keyStore = new RecordKeyStore(pool, pool, kek, CACHED_KEYS);
  }

  /** @throws Error when there are keys of clients and the key-encryption key opens none of them */
  assertKekMatches(): Promise<void> {
    return assertClientKeysFit(this.pool, this.kek);
  }

  /**
   * A time for a snapshot, exclusive. Nothing that is not yet stored ever lies before it. What was answered before this call
   * does, too, unless a transaction that writes stays open for longer than a second. Takes about 50 ms, and as long as the
   * writers that were at work.
   */
  async snapshotTime(): Promise<number> {
    const deadline = Date.now() + MAX_WAIT_MS;
    let acknowledgedUntil: number | undefined;
    for (;;) {
      const { at, requestedAt } = await takeSnapshot(this.pool);
      // A write may be answered so long before its time.
      acknowledgedUntil ??= requestedAt + MAX_LEAD_MS;
      if (at > acknowledgedUntil || Date.now() > deadline) return at;
    }
  }

  /** The files of an export, each of one kind and with its exact count. @throws ExportTooLargeError */
  plan(selection: ExportSelection, options: PlanOptions = {}): Promise<ExportFile[]> {
    return planExport(this.pool, this.keyStore, selection, options);
  }

  /** The same in steps; a plan can be continued from the state of any of them. @throws ExportTooLargeError */
  planSteps(selection: ExportSelection, options: PlanOptions, from?: PlanState): AsyncGenerator<PlanState> {
    return planSteps(this.pool, this.keyStore, selection, options, from);
  }

  /** The files of a plan whose last step has this state. */
  plannedFiles(selection: ExportSelection, state: PlanState): ExportFile[] {
    return plannedFiles(selection, state);
  }

  /** Which of these ids are, or were, those of a resource of these kinds in the scope. No content is read. */
  findResources(
    scope: ExportScope,
    typeCodes: readonly TypeCode[],
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    return findResources(this.pool, scope, typeCodes, ids);
  }

  /** The bytes of a file, the same each time. @throws SnapshotGoneError a day after `at` */
  streamFile(file: ExportFile, options: StreamOptions): AsyncIterable<Buffer> {
    return streamFile(this.pool, this.keyStore, file, options);
  }

  /** The lines of a file, block by block; only of the blocks that are wanted, where that is said. @throws SnapshotGoneError a day after `at` */
  fileLines(file: ExportFile, blockFilter: BlockFilter = () => true): AsyncIterable<FileBlock> {
    return fileLines(this.pool, this.keyStore, file, blockFilter);
  }

  /** What was deleted after `since`, as of `at`. */
  deletions(selection: ExportSelection): AsyncIterable<DeletedResource[]> {
    return readDeletions(this.pool, selection);
  }
}

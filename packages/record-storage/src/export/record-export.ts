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

/** The maximum number of cached records: each file of an export reads the same users again. About 1 KB per record. */
const CACHED_KEYS = 20_000;

/** Exports the state of records at a snapshot time. It only reads. */
export class RecordExport {
  private readonly pool: Pool;
  private readonly kek: KeyEncryptionKey;
  private readonly keyStore: RecordKeyStore;

  constructor({ pool, kek }: RecordExportOptions) {
    this.pool = pool;
    this.kek = kek;
    this.keyStore = new RecordKeyStore(pool, pool, kek, CACHED_KEYS);
  }

  /** @throws Error if there are keys of clients and the key-encryption key unwraps none of them */
  assertKekMatches(): Promise<void> {
    return assertClientKeysFit(this.pool, this.kek);
  }

  /**
   * A snapshot time, exclusive, in epoch milliseconds. No version becomes visible later with a commit timestamp before
   * it. Writes that were acknowledged before this call have timestamps before it, unless a writing transaction stays
   * open for longer than the wait. The call takes about 50 ms, and waits for the open writes.
   * @param options.maxWaitMs the maximum wait for open writes, in milliseconds. Default 1,000.
   */
  async snapshotTime({ maxWaitMs = 1000 }: { readonly maxWaitMs?: number } = {}): Promise<number> {
    const deadline = Date.now() + maxWaitMs;
    let acknowledgedUntil: number | undefined;
    for (;;) {
      const { at, requestedAt } = await takeSnapshot(this.pool);
      // A write may be acknowledged this long before its commit timestamp.
      acknowledgedUntil ??= requestedAt + MAX_LEAD_MS;
      if (at > acknowledgedUntil || Date.now() > deadline) return at;
    }
  }

  /**
   * The files of an export, each of one type code and with its exact count.
   * @throws ExportTooLargeError, UnsealingError
   */
  plan(selection: ExportSelection, options: PlanOptions = {}): Promise<ExportFile[]> {
    return planExport(this.pool, this.keyStore, selection, options);
  }

  /**
   * Like `plan`, in steps. A plan can continue from the state of any step.
   * @throws ExportTooLargeError, UnsealingError
   */
  planSteps(selection: ExportSelection, options: PlanOptions, from?: PlanState): AsyncGenerator<PlanState> {
    return planSteps(this.pool, this.keyStore, selection, options, from);
  }

  /** The files of a plan whose last step has this state. */
  plannedFiles(selection: ExportSelection, state: PlanState): ExportFile[] {
    return plannedFiles(selection, state);
  }

  /**
   * The ids among those given that belong or belonged to a resource of these type codes in the scope. Reads no content.
   */
  findResources(
    scope: ExportScope,
    typeCodes: readonly TypeCode[],
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    return findResources(this.pool, scope, typeCodes, ids);
  }

  /** The bytes of a file, the same each time. @throws SnapshotGoneError a day after `at`, UnsealingError */
  streamFile(file: ExportFile, options: StreamOptions): AsyncIterable<Buffer> {
    return streamFile(this.pool, this.keyStore, file, options);
  }

  /**
   * The NDJSON lines of a file, block by block, of the blocks that the filter accepts.
   * @throws SnapshotGoneError a day after `at`, UnsealingError
   */
  fileLines(file: ExportFile, blockFilter: BlockFilter = () => true): AsyncIterable<FileBlock> {
    return fileLines(this.pool, this.keyStore, file, blockFilter);
  }

  /** The resources that were deleted after `since` and are still deleted at `at`. */
  deletions(selection: ExportSelection): AsyncIterable<DeletedResource[]> {
    return readDeletions(this.pool, selection);
  }
}

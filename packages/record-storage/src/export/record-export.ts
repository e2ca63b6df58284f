import type { KeyEncryptionKey } from '@tributary/key-vault';
import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import type { Pool } from 'pg';
import { RecordKeyStore } from '../keys/record-key-store';
import { type DeletedResource, readDeletions } from './deletions';
import type { StoredVersion } from '../read/stored-version';
import type { TypeCode } from '../type-codes';
import type { ExportFile, ExportScope, ExportSelection } from './export-file';
import { type BlockFilter, type FileBlock, fileLines } from './file-lines';
import { findResources } from './find-resources';
import { readNewestReleaseTest } from './newest-release';
import { readBinary } from './read-binary';
import { type PlanOptions, type PlanState, planExport, planSteps } from './plan';
import { assertClientKeysFit } from '../maintenance/check-keys';
import { type StreamOptions, streamFile } from './stream-file';

export interface RecordExportOptions {
  /** Of a role that may read the storage. */
  readonly pool: Pool;
  readonly kek: KeyEncryptionKey;
}

/** The maximum number of cached records: each file of an export reads the same users again. About 1 KB per record. */
const CACHED_KEYS = 20_000;

/** Exports the state of records at a snapshot time (`snapshotTime`). It only reads. */
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

  /**
   * The current version of a Binary of any release in the scope. Undefined when there is none, or it is deleted.
   * @throws UnsealingError
   */
  readBinary(scope: ExportScope, id: string): Promise<StoredVersion | undefined> {
    return readBinary(this.pool, this.keyStore, scope, id);
  }

  /**
   * The test whether a resource of a release is of the newest release in which the record has its health system, as of
   * the snapshot `at`. Undefined when every resource of the record passes.
   * @throws SnapshotGoneError, UnsealingError
   */
  newestReleaseTest(
    userId: number,
    release: Release,
    at: number,
  ): Promise<((resource: Resource) => boolean) | undefined> {
    return readNewestReleaseTest(this.pool, this.keyStore, userId, release, at);
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

import type { Pool } from 'pg';
import { MUST_NOT_EXIST, RecordDestroyedError } from './errors';
import type { ContentObjects } from './content-objects/content-objects';
import { mayHaveReferences, readReference, renderReference } from './content-objects/content-reference';
import { type ContentObject, ContentReader, type WholeJson } from './content-objects/content-reader';
import type { ReadBudget } from './blocks/block-packing';
import type { RecordKeyStore } from './keys/record-key-store';
import type { RecordKeys } from './keys/record-keys';
import { type TypeCode, typeOfCode } from './type-codes';
import type { PipelinedConnections } from './postgres/pipelined-connections';
import type { Cancellation, Queryable } from './postgres/statement';
import { type HistoryPage, type HistoryQuery, readHistory } from './read/history';
import { readVersion } from './read/read';
import { RecordReader } from './read/record-reader';
import type { StoredVersion } from './read/stored-version';
import { noteHealthSystem, readHealthSystems } from './sources/health-systems';
import type { Change, ChangeOutcome, Upsert } from './write/batch-plan';
import { type LockedRecord, runTransaction } from './write/batch-write';
import type { NewContent, WrittenVersion } from './write/content';
import { type SingleWriter, createResource, deleteResource, updateResource } from './write/single-write';
import type { LiveIndex } from './search/memory/live-index';
import type { MemoryIndexes } from './search/memory/memory-indexes';
import type { CommitTimestampAllocator } from './write/commit-timestamps';

/** The connections of the statements of a record. */
export interface Connections {
  /** For transactions and long statements. */
  readonly pool: Pool;
  /** For single statements that only read. */
  readonly reads: PipelinedConnections;
  /** For single statements that write. */
  readonly writes: PipelinedConnections;
  /** Undefined where no object storage is configured. */
  readonly objects: ContentObjects | undefined;
}

/**
 * A statement that reads more resources takes a connection of the pool: on a pipelined connection it would delay the
 * statements behind it.
 */
const MAX_PIPELINED_RESOURCES = 100;

/**
 * Longer content, and resources of these types, take a connection of the pool: on a pipelined connection they would
 * delay the statements behind them.
 */
const LARGE_CONTENT_CHARACTERS = 64_000;
const TYPES_OF_LARGE_CONTENT: ReadonlySet<string> = new Set(['Binary', 'DocumentReference', 'Media']);

/**
 * The record of one user. The first write creates it; before that, and after its destruction, it reads as empty. All
 * methods may be called concurrently, by any number of processes. After a cancellation no statement begins; the methods
 * throw its reason.
 */
export class UserRecord extends RecordReader {
  constructor(
    private readonly connections: Connections,
    private readonly keyStore: RecordKeyStore,
    private readonly memoryIndexes: MemoryIndexes,
    private readonly timestamps: CommitTimestampAllocator,
    readonly userId: number,
    readonly clientId: string,
    private readonly cancellation?: Cancellation,
    protected override readonly budget?: ReadBudget,
  ) {
    super();
  }

  /** Stores a resource under a fresh id, as version 1. @throws RecordDestroyedError */
  create(typeCode: TypeCode, id: string, content: NewContent): Promise<WrittenVersion> {
    return this.writing(async (keys) => {
      if (!mayHaveReferences(content.body.members))
        return createResource(this.writerOf(keys, content), typeCode, id, content);
      const [outcome] = await this.writeBatch(keys, [{ typeCode, id, ...content }], true);
      return { ...(outcome as ChangeOutcome), json: outcome?.json as Buffer };
    });
  }

  /**
   * The same record, whose creates of one iteration of the event loop are written in one transaction. When it fails,
   * all of them fail.
   */
  groupingCreates(): UserRecord {
    const { connections, keyStore, memoryIndexes, timestamps, userId, clientId, cancellation, budget } = this;
    return new GroupingRecord(connections, keyStore, memoryIndexes, timestamps, userId, clientId, cancellation, budget);
  }

  /**
   * Stores the next version of a resource, or creates it under this id. After a deletion the version numbers continue.
   * @param expectedVersion the version that must be current; MUST_NOT_EXIST if there must be none
   * @throws VersionConflictError, RecordDestroyedError, IdNotAvailableError if the id belongs to another record,
   *   ContentionError
   */
  update(
    typeCode: TypeCode,
    id: string,
    content: NewContent,
    expectedVersion?: number,
  ): Promise<WrittenVersion & { created: boolean }> {
    return this.writing(async (keys) => {
      if (expectedVersion !== MUST_NOT_EXIST && !mayHaveReferences(content.body.members)) {
        const updated = await updateResource(this.writerOf(keys, content), typeCode, id, content, expectedVersion);
        if (updated) return { ...updated, created: false };
      }
      // A create under a client-assigned id takes the lock of the record, so that two of them cannot both write version
      // 1.
      const change = {
        typeCode,
        id,
        ...content,
        isClientAssignedId: true,
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
      };
      const [outcome] = await this.writeBatch(keys, [change], true);
      const { version, lastUpdated, json, outcome: what } = outcome as ChangeOutcome;
      return { typeCode, id, version, lastUpdated, json: json as Buffer, created: what === 'created' };
    });
  }

  /**
   * Deletes a resource; its versions stay readable.
   * @returns undefined if there is no current version
   * @throws VersionConflictError, RecordDestroyedError
   */
  delete(
    typeCode: TypeCode,
    id: string,
    expectedVersion?: number,
  ): Promise<{ version: number; lastUpdated: number } | undefined> {
    return this.writing(async (keys) => deleteResource(this.writerOf(keys), typeCode, id, expectedVersion));
  }

  /**
   * Carries out changes in one transaction, all or none of them. Each resource may be named once. An upsert whose
   * source has the stored hash changes nothing.
   * @throws VersionConflictError, RecordDestroyedError
   */
  write(changes: readonly Change[], { returnJson = false }: { returnJson?: boolean } = {}): Promise<ChangeOutcome[]> {
    return this.writing((keys) => this.writeBatch(keys, changes, returnJson));
  }

  /**
   * Runs work in a transaction that holds the lock of the record. It is atomic with respect to `write`, `transaction`
   * and creates under a client-assigned id, in every process. The work may be executed again, and must have no effects
   * other than those on the given record.
   * @throws RecordDestroyedError, and what the work throws; nothing is written then
   */
  transaction<T>(work: (record: LockedRecord) => Promise<T>): Promise<T> {
    return this.writing((keys) =>
      runTransaction(this.connections.pool, keys, work, { cancellation: this.cancellation }),
    );
  }

  /** One version, which may be a deletion. FHIR R4 http.html#vread. @throws UnsealingError */
  readVersion(typeCode: TypeCode, id: string, version: number): Promise<StoredVersion | undefined> {
    return this.reading(
      (keys) => readVersion(this.queryableFor(1, typeCode), keys, typeCode, id, version, this.budget),
      undefined,
    );
  }

  /** Whether all index rows were made by the index rules of this code; true for a record that does not exist yet. */
  override isIndexCurrent(): Promise<boolean> {
    return this.reading((keys) => this.keyStore.isIndexCurrent(keys), true);
  }

  /** A page of versions, newest first. @throws UnsealingError */
  history(query: HistoryQuery): Promise<HistoryPage> {
    return this.reading((keys) => readHistory(this.connections.pool, keys, query, this.budget), {
      versions: [],
      next: undefined,
      total: query.total ? 0 : undefined,
    });
  }

  /**
   * 32 secret bytes of this record for a named use, always the same. Creates the record if there is none.
   * @throws RecordDestroyedError
   */
  secret(label: string): Promise<Buffer> {
    return this.writing((keys) => Promise.resolve(keys.secret(label)));
  }

  /** The ids of the health systems from which the record was collected, as `noteHealthSystem` has noted them. */
  healthSystems(): Promise<readonly number[]> {
    return this.reading((keys) => readHealthSystems(this.connections.reads, keys), []);
  }

  /**
   * Notes that the record was collected from a health system. Idempotent.
   * @throws RecordDestroyedError, ContentionError
   */
  noteHealthSystem(id: number): Promise<void> {
    return this.writing((keys) => noteHealthSystem(this.connections.pool, keys, id));
  }

  /** Whether `storeContent` has an object storage. */
  get storesContent(): boolean {
    return this.connections.objects !== undefined;
  }

  /**
   * Uploads content to the object storage, encrypted.
   * @returns the base64Binary that stands for it in the JSON of a resource; it has to be written within a day
   * @throws RecordDestroyedError, ObjectStorageError, and what the content throws
   */
  storeContent(content: AsyncIterable<Buffer>): Promise<string> {
    const { objects } = this.connections;
    if (!objects) throw new Error('no object storage is configured');
    return this.writing(async (keys) => renderReference(keys, await objects.store(keys, content)));
  }

  /** Deletes content that was uploaded in vain, unless a version refers to it. @throws ObjectStorageError */
  discardContent(base64: string): Promise<void> {
    return this.reading(async (keys) => {
      const reference = readReference(keys, base64);
      if (reference) await this.connections.objects?.discard(this.userId, reference);
    }, undefined);
  }

  /**
   * The content for which a base64Binary stands; undefined when it is the content itself.
   * @throws RecordDestroyedError
   */
  async contentOf(base64: string): Promise<ContentObject | undefined> {
    return (await this.contentReader()).contentOf(base64);
  }

  /**
   * JSON of this record with the content of the object storage in place; undefined when it is whole as it is.
   * @throws RecordDestroyedError
   */
  async wholeJson(json: Buffer | string): Promise<WholeJson | undefined> {
    if (!mayHaveReferences(json)) return undefined;
    return (await this.contentReader()).wholeJson(typeof json === 'string' ? Buffer.from(json) : json);
  }

  protected override queryableFor(resources: number, typeCode?: TypeCode): Queryable {
    const isLong =
      resources > MAX_PIPELINED_RESOURCES ||
      (typeCode !== undefined && TYPES_OF_LARGE_CONTENT.has(typeOfCode(typeCode)));
    return isLong ? this.connections.pool : this.connections.reads;
  }

  protected override liveIndex(keys: RecordKeys, typeCode: TypeCode): LiveIndex | undefined {
    return this.memoryIndexes.find(keys, typeCode);
  }

  private async writeBatch(
    keys: RecordKeys,
    changes: readonly Change[],
    returnJson: boolean,
  ): Promise<ChangeOutcome[]> {
    if (changes.length === 0) return [];
    return runTransaction(this.connections.pool, keys, (record) => record.write(changes, { returnJson }), {
      writesAtOnce: true,
    });
  }

  /** @throws RecordDestroyedError after the read of what refers to the content */
  private async contentReader(): Promise<ContentReader> {
    const keys = await this.existingKeys();
    if (!keys) throw new RecordDestroyedError(this.userId);
    return new ContentReader(keys, this.connections.objects?.storage);
  }

  private writerOf(keys: RecordKeys, content?: NewContent): SingleWriter {
    const { pool, reads, writes } = this.connections;
    const isLarge = content !== undefined && content.body.members.length > LARGE_CONTENT_CHARACTERS;
    return { keys, reads, writes: isLarge ? pool : writes, timestamps: this.timestamps };
  }

  protected override async existingKeys(): Promise<RecordKeys | undefined> {
    this.cancellation?.throwIfAborted();
    const keys = await this.keyStore.find(this.userId);
    this.cancellation?.throwIfAborted();
    return keys;
  }

  private async writing<T>(work: (keys: RecordKeys) => Promise<T>): Promise<T> {
    this.cancellation?.throwIfAborted();
    return work(await this.keyStore.findOrCreate(this.userId, this.clientId));
  }
}

/** A create that waits for the others of its group. */
interface WaitingCreate {
  readonly change: Upsert;
  readonly resolve: (written: WrittenVersion) => void;
  readonly reject: (error: unknown) => void;
}

class GroupingRecord extends UserRecord {
  private group: WaitingCreate[] = [];

  override create(typeCode: TypeCode, id: string, content: NewContent): Promise<WrittenVersion> {
    return new Promise((resolve, reject) => {
      if (this.group.length === 0) setImmediate(() => void this.writeGroup());
      this.group.push({ change: { typeCode, id, ...content }, resolve, reject });
    });
  }

  private async writeGroup(): Promise<void> {
    const group = this.group;
    this.group = [];
    try {
      const outcomes = await this.write(
        group.map(({ change }) => change),
        { returnJson: true },
      );
      outcomes.forEach(({ typeCode, id, version, lastUpdated, json }, at) =>
        group[at]?.resolve({ typeCode, id, version, lastUpdated, json: json as Buffer }),
      );
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

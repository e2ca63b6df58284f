import { type VersionMetadata, renderEntry } from '../blocks/entry';
import { type SealedBlock, sealBlock } from '../blocks/block-packing';
import { ContentionError, RecordDestroyedError, VersionConflictError } from '../errors';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { bigintArray } from '../postgres/binary-arrays';
import { type Row, type Statement, type Queryable, isUniqueViolation, run } from '../postgres/statement';
import { KEEP_SOURCE, type NewContent, type WrittenVersion, sourceHashOf } from './content';
import { createResource, deleteResource, findLatestVersion, updateResource } from './single-statements';
import { type CommitTimestampAllocator, waitOutLead } from './commit-timestamps';

const ATTEMPTS = 50;

/** The latest version of a resource, without content. */
export interface LatestVersion {
  readonly version: number;
  readonly lastUpdated: number;
  readonly deleted: boolean;
  readonly sourceHash: bigint | null;
}

/** Writes one resource in one statement. */
export class SingleWrite {
  constructor(
    private readonly connections: { readonly reads: Queryable; readonly writes: Queryable },
    private readonly timestamps: CommitTimestampAllocator,
    private readonly keys: RecordKeys,
  ) {}

  /** Stores a resource under a fresh id, as version 1. */
  async create(typeCode: TypeCode, id: string, content: NewContent): Promise<WrittenVersion> {
    const index = this.indexParameters(content, null);
    for (let attempt = 0, after = 0; attempt < ATTEMPTS; attempt++) {
      let version: Prepared | undefined;
      const { written, executedAt, at } = await this.send(createResource, after, (time) => {
        version = this.prepare(typeCode, { id, version: 1, lastUpdated: time }, content);
        return [typeCode, id, ...blockParameters(version.block), ...index];
      });
      if (written) return { typeCode, id, version: 1, lastUpdated: at, json: (version as Prepared).json };
      after = executedAt;
    }
    throw new ContentionError();
  }

  /**
   * Stores the next version of an existing resource.
   * @returns undefined when there is no such resource (never, or deleted)
   * @throws VersionConflictError when it is not at the expected version
   */
  async update(
    typeCode: TypeCode,
    id: string,
    content: NewContent,
    expected: number | undefined,
  ): Promise<WrittenVersion | undefined> {
    const assumed = content.source === KEEP_SOURCE ? undefined : assumedVersion(expected);
    for (let attempt = 0, after = 0; attempt < ATTEMPTS; attempt++) {
      const latestVersion = (attempt === 0 && assumed) || (await this.latestVersion(typeCode, id));
      if (!latestVersion || latestVersion.deleted) return undefined;
      assertExpected(typeCode, id, expected, latestVersion);
      let version: Prepared | undefined;
      const { written, executedAt, at } = await this.send(
        updateResource,
        Math.max(after, latestVersion.lastUpdated),
        (time) => {
          version = this.prepare(typeCode, { id, version: latestVersion.version + 1, lastUpdated: time }, content);
          return [
            typeCode,
            id,
            latestVersion.version,
            ...blockParameters(version.block),
            ...this.indexParameters(content, latestVersion.sourceHash),
          ];
        },
      );
      if (written)
        return { typeCode, id, version: latestVersion.version + 1, lastUpdated: at, json: (version as Prepared).json };
      after = executedAt;
    }
    throw new ContentionError();
  }

  /**
   * Deletes a resource; its versions stay.
   * @returns undefined when there is no such resource (never, or deleted before)
   * @throws VersionConflictError when it is not at the expected version
   */
  async delete(
    typeCode: TypeCode,
    id: string,
    expected: number | undefined,
  ): Promise<{ version: number; lastUpdated: number } | undefined> {
    for (let attempt = 0, after = 0; attempt < ATTEMPTS; attempt++) {
      const latestVersion = (attempt === 0 && assumedVersion(expected)) || (await this.latestVersion(typeCode, id));
      if (!latestVersion || latestVersion.deleted) {
        if (expected !== undefined && expected !== 0) throw new VersionConflictError(typeCode, id, expected, undefined);
        return undefined;
      }
      assertExpected(typeCode, id, expected, latestVersion);
      const { written, executedAt, at } = await this.send(
        deleteResource,
        Math.max(after, latestVersion.lastUpdated),
        () => [typeCode, id, latestVersion.version],
      );
      if (written) return { version: latestVersion.version + 1, lastUpdated: at };
      after = executedAt;
    }
    throw new ContentionError();
  }

  /** The latest version of a resource, be it a deletion; undefined when there never was one. */
  async latestVersion(typeCode: TypeCode, id: string): Promise<LatestVersion | undefined> {
    const [row] = await run(this.connections.reads, findLatestVersion, [this.keys.userId, typeCode, id]);
    if (!row) return undefined;
    const [version, lastUpdated, deleted, sourceHash] = row;
    return {
      version: version as number,
      lastUpdated: Number(lastUpdated),
      deleted: deleted as boolean,
      sourceHash: sourceHash === null ? null : BigInt(sourceHash as string),
    };
  }

  /**
   * Sends a statement with a time chosen at the last moment. One that then waits for its turn too long comes too late, is
   * refused and sent again.
   */
  private async send(
    statement: Statement,
    after: number,
    parameters: (at: number) => unknown[],
  ): Promise<{ written: boolean; executedAt: number; at: number }> {
    if (!this.timestamps.isSynchronized) await this.timestamps.synchronize(this.connections.writes);
    const { at, allocatedAt } = this.timestamps.allocate(after);
    const row = await this.run(statement, [this.keys.userId, at, ...parameters(at)]);
    if (!row) return { written: false, executedAt: after, at };
    const [executedAt, live, written] = row;
    if (!live) throw new RecordDestroyedError(this.keys.userId);
    this.timestamps.observe({ at, allocatedAt, executedAt: Number(executedAt) });
    if (written) await waitOutLead({ at, executedAt: Number(executedAt) });
    return { written: written as boolean, executedAt: Number(executedAt), at };
  }

  /** @returns undefined when another process drew the same block number at the same moment */
  private async run(statement: Statement, values: readonly unknown[]): Promise<Row | undefined> {
    try {
      return (await run(this.connections.writes, statement, values))[0] ?? [0, false, false];
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  private prepare(typeCode: TypeCode, latestVersion: VersionMetadata, content: NewContent): Prepared {
    const json = Buffer.from(renderEntry(typeCode, latestVersion, content.body), 'utf8');
    return { json, block: sealBlock(this.keys, typeCode, [json]) };
  }

  private indexParameters(content: NewContent, storedSourceHash: bigint | null): unknown[] {
    const { terms, ranges } = blindValues(this.keys, content.index);
    return [
      bigintArray(terms),
      ranges.length > 0 ? bigintArray(ranges) : null,
      sourceHashOf(this.keys, content.source, storedSourceHash),
    ];
  }
}

interface Prepared {
  readonly json: Buffer;
  readonly block: SealedBlock;
}

function blockParameters(block: SealedBlock): unknown[] {
  return [block.blockId, block.plainBytes, block.content];
}

/** A writer who names a version is mostly right: the first try believes it, and saves looking. */
function assumedVersion(expected: number | undefined): LatestVersion | undefined {
  return expected ? { version: expected, lastUpdated: 0, deleted: false, sourceHash: null } : undefined;
}

function assertExpected(
  typeCode: TypeCode,
  id: string,
  expected: number | undefined,
  latestVersion: LatestVersion,
): void {
  if (expected !== undefined && expected !== latestVersion.version)
    throw new VersionConflictError(typeCode, id, expected, latestVersion.version);
}

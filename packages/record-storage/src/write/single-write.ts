import { type LineHead, renderLine } from '../blocks/line';
import { type SealedBlock, sealBlock } from '../blocks/block-packing';
import { ContentionError, RecordDestroyedError, VersionConflictError } from '../errors';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { bigintArray } from '../postgres/binary-arrays';
import { type Row, type Statement, type Statements, isUniqueViolation, run } from '../postgres/statement';
import { KEEP_SOURCE, type NewContent, type Written, sourceHashOf } from './content';
import { createResource, deleteResource, findHead, updateResource } from './single-statements';
import { type WriteClock, holdBack } from './write-clock';

const ATTEMPTS = 50;

/** The latest version of a resource, without content. */
export interface Head {
  readonly version: number;
  readonly lastUpdated: number;
  readonly deleted: boolean;
  readonly sourceHash: bigint | null;
}

/** Writes one resource in one statement. */
export class SingleWrite {
  constructor(
    private readonly connections: { readonly reads: Statements; readonly writes: Statements },
    private readonly clock: WriteClock,
    private readonly keys: RecordKeys,
  ) {}

  /** Stores a resource under a fresh id, as version 1. */
  async create(typeCode: TypeCode, id: string, content: NewContent): Promise<Written> {
    const index = this.indexParameters(content, null);
    for (let attempt = 0, after = 0; attempt < ATTEMPTS; attempt++) {
      let version: Prepared | undefined;
      const { written, ran, at } = await this.send(createResource, after, (time) => {
        version = this.prepare(typeCode, { id, version: 1, lastUpdated: time }, content);
        return [typeCode, id, ...blockParameters(version.block), ...index];
      });
      if (written) return { typeCode, id, version: 1, lastUpdated: at, line: (version as Prepared).line };
      after = ran;
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
  ): Promise<Written | undefined> {
    const assumed = content.source === KEEP_SOURCE ? undefined : assumedHead(expected);
    for (let attempt = 0, after = 0; attempt < ATTEMPTS; attempt++) {
      const head = (attempt === 0 && assumed) || (await this.head(typeCode, id));
      if (!head || head.deleted) return undefined;
      assertExpected(typeCode, id, expected, head);
      let version: Prepared | undefined;
      const { written, ran, at } = await this.send(updateResource, Math.max(after, head.lastUpdated), (time) => {
        version = this.prepare(typeCode, { id, version: head.version + 1, lastUpdated: time }, content);
        return [
          typeCode,
          id,
          head.version,
          ...blockParameters(version.block),
          ...this.indexParameters(content, head.sourceHash),
        ];
      });
      if (written)
        return { typeCode, id, version: head.version + 1, lastUpdated: at, line: (version as Prepared).line };
      after = ran;
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
      const head = (attempt === 0 && assumedHead(expected)) || (await this.head(typeCode, id));
      if (!head || head.deleted) {
        if (expected !== undefined && expected !== 0) throw new VersionConflictError(typeCode, id, expected, undefined);
        return undefined;
      }
      assertExpected(typeCode, id, expected, head);
      const { written, ran, at } = await this.send(deleteResource, Math.max(after, head.lastUpdated), () => [
        typeCode,
        id,
        head.version,
      ]);
      if (written) return { version: head.version + 1, lastUpdated: at };
      after = ran;
    }
    throw new ContentionError();
  }

  /** The latest version of a resource, be it a deletion; undefined when there never was one. */
  async head(typeCode: TypeCode, id: string): Promise<Head | undefined> {
    const [row] = await run(this.connections.reads, findHead, [this.keys.userId, typeCode, id]);
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
  ): Promise<{ written: boolean; ran: number; at: number }> {
    if (!this.clock.isSet) await this.clock.set(this.connections.writes);
    const { at, chosen } = this.clock.choose(after);
    const row = await this.run(statement, [this.keys.userId, at, ...parameters(at)]);
    if (!row) return { written: false, ran: after, at };
    const [ran, live, written] = row;
    if (!live) throw new RecordDestroyedError(this.keys.userId);
    this.clock.learn({ at, chosen, ran: Number(ran) });
    if (written) await holdBack({ at, ran: Number(ran) });
    return { written: written as boolean, ran: Number(ran), at };
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

  private prepare(typeCode: TypeCode, head: LineHead, content: NewContent): Prepared {
    const line = Buffer.from(renderLine(typeCode, head, content.body), 'utf8');
    return { line, block: sealBlock(this.keys, typeCode, [line]) };
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
  readonly line: Buffer;
  readonly block: SealedBlock;
}

function blockParameters(block: SealedBlock): unknown[] {
  return [block.blockId, block.plainBytes, block.content];
}

/** A writer who names a version is mostly right: the first try believes it, and saves looking. */
function assumedHead(expected: number | undefined): Head | undefined {
  return expected ? { version: expected, lastUpdated: 0, deleted: false, sourceHash: null } : undefined;
}

function assertExpected(typeCode: TypeCode, id: string, expected: number | undefined, head: Head): void {
  if (expected !== undefined && expected !== head.version)
    throw new VersionConflictError(typeCode, id, expected, head.version);
}

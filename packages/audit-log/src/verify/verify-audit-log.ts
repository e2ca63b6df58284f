import { setImmediate as otherEvents } from 'node:timers/promises';
import type { StreamKeyOpener } from '../block/stream-key';
import {
  type Checkpoint,
  type Retirement,
  type StreamHead,
  contentOf,
  headsOf,
  retirementHash,
} from '../checkpoint/checkpoint';
import { CheckpointCheck } from './checkpoint-check';
import type { Finding } from './finding';
import {
  type LogDatabase,
  dayMs,
  readBlocks,
  readCheckpointHashes,
  readCheckpoints,
  readHashes,
  readMissingCheckpoint,
  readRetirements,
  readStreams,
} from './log-rows';
import { findSchemaChanges } from './schema-check';
import { StreamCheck } from './stream-check';

/** A checkpoint as the anchor file outside of the database has it. */
export interface Anchor {
  number: number;
  hash: Buffer;
}

export interface VerifyOptions {
  database: LogDatabase;
  /** The keys that sign checkpoints now (`CheckpointKey.publicKey`). */
  checkpointKeys: readonly Buffer[];
  /** Opens the blocks as well, which proves that the processes of their streams have written them. */
  opener?: StreamKeyOpener | undefined;
  anchors?: AsyncIterable<Anchor> | undefined;
  /** Blocks must have been kept for so many days, whatever the database says. */
  minRetentionDays?: number | undefined;
  /** Checks blocks from this time on, in epoch milliseconds, and all checkpoints; everything by default. */
  from?: number | undefined;
  /** The PostgreSQL role of a service. */
  roleOf(service: string): string;
  onFinding(finding: Finding): void;
  /** Called after each block and each checkpoint, with the counts so far. */
  onProgress?: ((counts: Readonly<VerifiedCounts>) => void) | undefined;
  /** Ends the verification with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** What was checked. */
export interface VerifiedCounts {
  streams: number;
  blocks: number;
  events: number;
  checkpoints: number;
  findings: number;
}

/**
 * Verifies the audit log: every stream is complete from its first block, or from the last one that was dropped after
 * its retention, each block is unchanged and follows the one before, and the checkpoints are complete, signed, and have
 * signed the blocks that are there. The memory that it takes does not depend on the number of blocks.
 *
 * Blocks after the last checkpoint are not signed, so their truncation is found only where the process has ended its
 * stream. A truncation of blocks together with the newest checkpoints is found with the anchors.
 */
export async function verifyAuditLog(options: VerifyOptions): Promise<VerifiedCounts> {
  const { database } = options;
  const counts: VerifiedCounts = { streams: 0, blocks: 0, events: 0, checkpoints: 0, findings: 0 };
  const report = (findings: readonly Finding[]): void => {
    counts.findings += findings.length;
    findings.forEach((finding) => options.onFinding(finding));
  };
  const retirements = await readRetirements(database);
  const retired = new Map<string, StreamHead>();
  for (const retirement of retirements) {
    for (const head of headsOf(retirement) ?? [])
      if (head.sequence > (retired.get(head.streamId)?.sequence ?? -1)) retired.set(head.streamId, head);
    await otherEvents();
  }

  report(await findSchemaChanges(database));
  await verifyBlocks(options, retired, counts, report);
  await verifyAnchors(options, report);
  await verifyCheckpoints(options, retired, retirements, counts, report);
  // After the end of a long pause a part of the log is verified before the next checkpoint is made.
  const isDue = options.from === undefined || counts.checkpoints === 0;
  const missing = isDue ? await readMissingCheckpoint(database) : undefined;
  if (missing !== undefined) report([{ problem: 'checkpoint missing', checkpoint: missing }]);
  return counts;
}

const anchorsAtOnce = 1000;

async function verifyAnchors({ database, anchors, signal }: VerifyOptions, report: Report): Promise<void> {
  const compare = async (some: readonly Anchor[]): Promise<void> => {
    signal?.throwIfAborted();
    const found = await readCheckpointHashes(
      database,
      some.map(({ number }) => number),
    );
    for (const [index, { number, hash }] of some.entries()) {
      if (!found[index]) report([{ problem: 'anchored checkpoint missing', checkpoint: number }]);
      else if (!found[index].equals(hash)) report([{ problem: 'anchored checkpoint changed', checkpoint: number }]);
    }
  };
  let some: Anchor[] = [];
  for await (const anchor of anchors ?? []) {
    some.push(anchor);
    if (some.length < anchorsAtOnce) continue;
    await compare(some);
    some = [];
  }
  if (some.length > 0) await compare(some);
}

type Report = (findings: readonly Finding[]) => void;

async function verifyBlocks(
  options: VerifyOptions,
  retired: ReadonlyMap<string, StreamHead>,
  counts: VerifiedCounts,
  report: Report,
): Promise<void> {
  let current: { streamId: string; check: StreamCheck } | undefined;
  for await (const block of readBlocks(options.database, options.from ?? -Infinity)) {
    if (current?.streamId !== block.streamId) {
      counts.streams++;
      current = { streamId: block.streamId, check: await checkOf(options, block.streamId, retired, report) };
    }
    counts.blocks++;
    counts.events += block.events;
    report(current.check.add(block));
    options.onProgress?.(counts);
    options.signal?.throwIfAborted();
    // A process may verify the log while it serves requests.
    await otherEvents();
  }
}

/** The check of a stream, after that of its row. */
async function checkOf(
  { database, opener, from, roleOf }: VerifyOptions,
  streamId: string,
  retired: ReadonlyMap<string, StreamHead>,
  report: Report,
): Promise<StreamCheck> {
  const start = from === undefined ? retired.get(streamId) : 'unknown';
  const [row] = await readStreams(database, [streamId]);
  if (!row) {
    report([{ problem: 'stream missing', streamId }]);
    return new StreamCheck({ streamId, service: '', role: undefined }, start);
  }
  const role = roleOf(row.service);
  if (row.writtenBy !== role) report([{ problem: 'stream changed', streamId }]);
  let key: Buffer | undefined;
  try {
    key = opener?.open(row);
  } catch {
    report([{ problem: 'stream changed', streamId }]);
  }
  return new StreamCheck({ streamId, service: row.service, role, key }, start);
}

/** @param retired the last block of each stream that was dropped */
async function verifyCheckpoints(
  { database, checkpointKeys, minRetentionDays = 0, onProgress, signal }: VerifyOptions,
  retired: ReadonlyMap<string, StreamHead>,
  retirements: readonly Retirement[],
  counts: VerifiedCounts,
  report: Report,
): Promise<void> {
  const open = new Set(retirements);
  const byHash = new Map(retirements.map((retirement) => [retirementHash(retirement)?.toString('hex'), retirement]));
  const check = new CheckpointCheck(checkpointKeys);
  for await (const checkpoint of readCheckpoints(database)) {
    counts.checkpoints++;
    const { findings, isSigned } = check.add(checkpoint);
    const content = isSigned ? contentOf(checkpoint) : undefined;
    report(findings);
    for (const hash of content?.retirements ?? []) {
      const retirement = byHash.get(hash.toString('hex'));
      if (!retirement) continue;
      open.delete(retirement);
      // It was signed after its retention only if the retention was as long as it must be.
      if (retirement.to > checkpoint.at - minRetentionDays * dayMs)
        report([{ problem: 'retirement not proven', partition: retirement.partition, at: retirement.to }]);
    }
    await verifyHeads(database, checkpoint, content?.heads ?? [], retired, report);
    onProgress?.(counts);
    signal?.throwIfAborted();
  }
  report(check.end());
  for (const { partition, to } of open) report([{ problem: 'retirement not signed', partition, at: to }]);
}

/** Compares the blocks that a checkpoint has signed with those that are there. */
async function verifyHeads(
  database: LogDatabase,
  checkpoint: Checkpoint,
  heads: readonly StreamHead[],
  retired: ReadonlyMap<string, StreamHead>,
  report: Report,
): Promise<void> {
  const kept = heads.filter(({ streamId, sequence }) => sequence > (retired.get(streamId)?.sequence ?? -1));
  if (kept.length === 0) return;
  const hashes = await readHashes(database, kept, checkpoint.at);
  for (const [index, { streamId, sequence, hash }] of kept.entries()) {
    const place = { streamId, sequence, checkpoint: checkpoint.number, at: checkpoint.at };
    if (!hashes[index]) report([{ problem: 'signed block missing', ...place }]);
    else if (!hashes[index].equals(hash)) report([{ problem: 'signed block changed', ...place }]);
  }
}

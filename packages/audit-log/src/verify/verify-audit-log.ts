import type { StreamKeyOpener } from '../block/stream-key';
import { type Checkpoint, type Retirement, type StreamHead, retirementHash } from '../checkpoint/checkpoint';
import { CheckpointCheck } from './checkpoint-check';
import { readCheckpointKeys } from './checkpoint-keys';
import type { Finding } from './finding';
import {
  type LogDatabase,
  readBlocks,
  readCheckpointHash,
  readCheckpoints,
  readHashes,
  readMissingCheckpoint,
  readRetirements,
  readStream,
} from './log-rows';
import { headsOf } from './retirement-check';
import { findSchemaChanges } from './schema-check';
import { StreamCheck } from './stream-check';

const dayMs = 86_400_000;

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
}

/** What was checked. */
export interface VerifiedCounts {
  streams: number;
  blocks: number;
  events: number;
  checkpoints: number;
  findings: number;
}

/** Where the verification of many checkpoints continues. */
export interface VerificationPosition {
  /** The oldest checkpoint that was verified, and the hash that the one before it must have. */
  checkpoint: number;
  previous: Buffer;
  /** The hashes of the retirements that checkpoints have signed so far, in hexadecimal. */
  signedRetirements: readonly string[];
}

export interface PartOptions extends VerifyOptions {
  /** The number of checkpoints after which the part ends. */
  checkpointsAtMost: number;
  /** Where the part before has ended. Its blocks and anchors are not verified again. */
  position?: VerificationPosition | undefined;
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
  return (await verifyAuditLogPart({ ...options, checkpointsAtMost: Infinity })).counts;
}

/**
 * Verifies the blocks, the anchors and the newest checkpoints, or the checkpoints from a position on.
 * @returns what this part has verified; `next` where another part continues, when checkpoints are left
 */
export async function verifyAuditLogPart(
  options: PartOptions,
): Promise<{ counts: VerifiedCounts; next?: VerificationPosition }> {
  const { database, position } = options;
  const counts: VerifiedCounts = { streams: 0, blocks: 0, events: 0, checkpoints: 0, findings: 0 };
  const report = (findings: readonly Finding[]): void => {
    counts.findings += findings.length;
    findings.forEach((finding) => options.onFinding(finding));
  };
  const retirements = await readRetirements(database);
  const retired = new Map<string, StreamHead>();
  for (const { heads } of retirements) for (const head of headsOf(heads) ?? []) retired.set(head.streamId, head);

  if (!position) {
    report(await findSchemaChanges(database));
    await verifyBlocks(options, retired, counts, report);
    await verifyAnchors(options, report);
  }
  const signed = new Set(position?.signedRetirements);
  const byHash = new Map(retirements.map((retirement) => [retirementHash(retirement).toString('hex'), retirement]));
  const oldest = await verifyCheckpoints(options, { retired, signed, byHash }, counts, report);
  if (oldest) return { counts, next: { ...oldest, signedRetirements: [...signed] } };
  for (const [hash, { partition, to }] of byHash)
    if (!signed.has(hash)) report([{ problem: 'retirement not signed', partition, at: to }]);
  // After the end of a long pause a part of the log is verified before the next checkpoint is made.
  const isDue = !position && (options.from === undefined || counts.checkpoints === 0);
  const missing = isDue ? await readMissingCheckpoint(database) : undefined;
  if (missing !== undefined) report([{ problem: 'checkpoint missing', checkpoint: missing }]);
  return { counts };
}

async function verifyAnchors({ database, anchors }: VerifyOptions, report: Report): Promise<void> {
  for await (const { number, hash } of anchors ?? []) {
    const found = await readCheckpointHash(database, number);
    if (!found) report([{ problem: 'anchored checkpoint missing', checkpoint: number }]);
    else if (!found.equals(hash)) report([{ problem: 'anchored checkpoint changed', checkpoint: number }]);
  }
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
  const row = await readStream(database, streamId);
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

/** What is known of the retirements while the checkpoints are verified. */
interface Retirements {
  /** The last block of each stream that was dropped. */
  retired: ReadonlyMap<string, StreamHead>;
  /** The hashes of the retirements that checkpoints have signed, in hexadecimal: it is extended. */
  signed: Set<string>;
  byHash: ReadonlyMap<string, Retirement>;
}

/** @returns the oldest checkpoint of this part, when others may be left */
async function verifyCheckpoints(
  { database, checkpointKeys, checkpointsAtMost, position, minRetentionDays = 0 }: PartOptions,
  { retired, signed, byHash }: Retirements,
  counts: VerifiedCounts,
  report: Report,
): Promise<Omit<VerificationPosition, 'signedRetirements'> | undefined> {
  const after = position && { number: position.checkpoint, previous: position.previous };
  const keys = after ? (await readCheckpointKeys(database, checkpointKeys)).values() : checkpointKeys;
  const check = new CheckpointCheck(keys, after);
  for await (const checkpoint of readCheckpoints(database, { before: after?.number })) {
    counts.checkpoints++;
    const { findings, content } = check.add(checkpoint);
    report(findings);
    for (const bytes of content?.retirements ?? []) {
      const hash = bytes.toString('hex');
      signed.add(hash);
      const retirement = byHash.get(hash);
      // It was signed after its retention only if the retention was as long as it must be.
      if (retirement && retirement.to > checkpoint.at - minRetentionDays * dayMs)
        report([{ problem: 'retirement not proven', partition: retirement.partition, at: retirement.to }]);
    }
    await verifyHeads(database, checkpoint, content?.heads ?? [], retired, report);
    if (counts.checkpoints >= checkpointsAtMost)
      return { checkpoint: checkpoint.number, previous: checkpoint.previous };
  }
  report(check.end());
  return undefined;
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
  const hashes = await readHashes(database, kept);
  for (const [index, { streamId, sequence, hash }] of kept.entries()) {
    const place = { streamId, sequence, checkpoint: checkpoint.number, at: checkpoint.at };
    if (!hashes[index]) report([{ problem: 'signed block missing', ...place }]);
    else if (!hashes[index].equals(hash)) report([{ problem: 'signed block changed', ...place }]);
  }
}

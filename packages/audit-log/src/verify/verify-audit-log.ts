import type { StreamKeyOpener } from '../block/stream-key';
import { type StreamHead, decodeHeads, retirementHash } from '../checkpoint/checkpoint';
import { CheckpointCheck } from './checkpoint-check';
import type { Finding } from './finding';
import {
  type LogDatabase,
  readBlocks,
  readCheckpointHash,
  readCheckpoints,
  readHashes,
  readRetirements,
  readStream,
} from './log-rows';
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
  for (const { heads } of retirements) for (const head of decodeHeads(heads)) retired.set(head.streamId, head);

  await verifyBlocks(options, retired, counts, report);
  const signed = await verifyCheckpoints(options, retired, counts, report);
  for (const retirement of retirements)
    if (!signed.has(retirementHash(retirement).toString('hex')))
      report([{ problem: 'retirement not signed', partition: retirement.partition, at: retirement.to }]);
  for await (const { number, hash } of options.anchors ?? []) {
    const found = await readCheckpointHash(database, number);
    if (!found) report([{ problem: 'anchored checkpoint missing', checkpoint: number }]);
    else if (!found.equals(hash)) report([{ problem: 'anchored checkpoint changed', checkpoint: number }]);
  }
  return counts;
}

type Report = (findings: readonly Finding[]) => void;

async function verifyBlocks(
  options: VerifyOptions,
  retired: ReadonlyMap<string, StreamHead>,
  counts: VerifiedCounts,
  report: Report,
): Promise<void> {
  let current: { streamId: string; check: StreamCheck } | undefined;
  for await (const block of readBlocks(options.database, options.from ?? 0)) {
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

/** @returns the hashes of the retirements that checkpoints have signed, in hexadecimal */
async function verifyCheckpoints(
  { database, checkpointKeys }: VerifyOptions,
  retired: ReadonlyMap<string, StreamHead>,
  counts: VerifiedCounts,
  report: Report,
): Promise<Set<string>> {
  const check = new CheckpointCheck(checkpointKeys);
  const signedRetirements = new Set<string>();
  for await (const checkpoint of readCheckpoints(database)) {
    counts.checkpoints++;
    const { findings, content } = check.add(checkpoint);
    report(findings);
    if (!content) continue;
    for (const hash of content.retirements) signedRetirements.add(hash.toString('hex'));
    const kept = content.heads.filter(({ streamId, sequence }) => sequence > (retired.get(streamId)?.sequence ?? -1));
    const hashes = await readHashes(database, kept);
    for (const [index, { streamId, sequence, hash }] of kept.entries()) {
      const place = { streamId, sequence, checkpoint: checkpoint.number, at: checkpoint.at };
      if (!hashes[index]) report([{ problem: 'signed block missing', ...place }]);
      else if (!hashes[index].equals(hash)) report([{ problem: 'signed block changed', ...place }]);
    }
  }
  report(check.end());
  return signedRetirements;
}

export {
  type AuditEntity,
  type AuditEvent,
  type AuditKind,
  type EventPosition,
  type NewAuditEvent,
  auditEntitySchema,
  auditEventSchema,
  auditKinds,
  eventIdOf,
  positionOfEvent,
} from './event/audit-event';
export { type Block, clientKey, expectedHash, keysOf, noPrevious, openBlock, sealBlock } from './block/block';
export { type BlockRow, blockOf, blockPageSql } from './block/block-rows';
export { StreamKeyOpener, wrapStreamKey } from './block/stream-key';
export { type AuditFunction, auditFunctions, readerFunctions, settingsOf } from './schema/functions';
export { type AuditRoles, auditOwner, createAuditSchema, sixYearsInDays } from './schema/audit-schema';
export { type AuditTrail, AuditUnavailable, noAuditTrail } from './write/audit-trail';
export { AuditWriter, type AuditWriterOptions } from './write/audit-writer';
export {
  type Checkpoint,
  type CheckpointContent,
  CheckpointKey,
  CheckpointKeys,
  type StreamHead,
  contentOf,
  encodeCheckpointContent,
  retirementHash,
} from './checkpoint/checkpoint';
export type { Finding, Problem } from './verify/finding';
export { type Anchor, type VerifiedCounts, type VerifyOptions, verifyAuditLog } from './verify/verify-audit-log';
export { readCheckpoints, readNewestCheckpoint, readRetirements, readStreams } from './verify/log-rows';
export { findSchemaChanges } from './verify/schema-check';
export { isRetirementProven } from './verify/retirement-check';

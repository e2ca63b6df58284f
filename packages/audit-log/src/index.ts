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
export {
  type Block,
  clientKey,
  expectedHash,
  keysOf,
  noPrevious,
  openBlock,
  parseKeys,
  sealBlock,
} from './block/block';
export { blockPageSql } from './block/block-limits';
export { StreamKeyOpener, type WrappedStreamKey, wrapStreamKey } from './block/stream-key';
export { type AuditFunction, auditFunctions, settingsOf } from './schema/functions';
export { type AuditRoles, auditOwner, createAuditSchema, sixYearsInDays } from './schema/audit-schema';
export { type AuditTrail, AuditUnavailable, noAuditTrail } from './write/audit-trail';
export { AuditWriter, type AuditWriterOptions } from './write/audit-writer';
export {
  type Checkpoint,
  type CheckpointContent,
  CheckpointKey,
  type Retirement,
  type StreamHead,
  checkpointKeyId,
  encodeCheckpointContent,
  isSignedBy,
  isUnchanged,
  retirementHash,
} from './checkpoint/checkpoint';
export type { Finding, Problem } from './verify/finding';
export { type Anchor, type VerifiedCounts, type VerifyOptions, verifyAuditLog } from './verify/verify-audit-log';
export { readCheckpoints, readNewestCheckpoint, readRetirements, streamColumns } from './verify/log-rows';
export { contentOf } from './verify/checkpoint-keys';
export { findSchemaChanges } from './verify/schema-check';
export { type RetirementEvidence, hashOfRetirement, isRetirementProven } from './verify/retirement-check';

export type { ContentObject, ContentReader, WholeJson } from './content-objects/content-reader';
export { mayHaveReferences, wholeLength } from './content-objects/content-reference';
export type { ReadBudget } from './blocks/block-packing';
export type { ResourceBody } from './blocks/entry';
export {
  ContentionError,
  IdNotAvailableError,
  InvalidCursorError,
  MUST_NOT_EXIST,
  RecordDestroyedError,
  VersionConflictError,
  WriteNotConfirmedError,
} from './errors';
export { type DeletedResource, readDeletions } from './export/deletions';
export type { BlockPosition, ExportFile, ExportScope, ExportSelection } from './export/export-file';
export { type ExportedRecords, exportedRecords } from './export/exported-records';
export { type FileBlock, fileLines } from './export/file-lines';
export type { FileLimits } from './export/file-drafts';
export { findResources } from './export/find-resources';
export { exportedNewestReleaseTest } from './export/newest-release';
export {
  ExportTooLargeError,
  type PlanOptions,
  type PlanState,
  planExport,
  planSteps,
  plannedFiles,
} from './export/plan';
export { SnapshotGoneError } from './export/read-blocks';
export { type ExportedBinary, readBinary } from './export/read-binary';
export { snapshotTime } from './export/snapshot-time';
export { type StreamOptions, streamFile } from './export/stream-file';
export { assertClientKeysFit } from './maintenance/check-keys';
export { type TypeCode, typeCodeOf, releaseOfCode, typeOfCode } from './type-codes';
export type { HistoryCursor, HistoryVersion, HistoryPage, HistoryQuery } from './read/history';
export { databaseClock } from './postgres/statement';
export { type ResourceKey, type ResourceVersion, isResourceId, keyText, relativeReference } from './resource-key';
export type { RecordReader } from './read/record-reader';
export type { StoredVersion } from './read/stored-version';
export { RETIRED_BLOCK_LIFETIME_MS, SNAPSHOT_LIFETIME_MS } from './snapshot-lifetime';
export { RecordStorage, type RecordStorageOptions } from './record-storage';
export { wrappingKeyTable } from './schema/key-schema';
export { type SchemaOptions, grantReadAccess, recordStorageMigrations } from './schema/migrations';
export { countPartitions, partitionRecords } from './schema/partitioning';
export { setSessionDefaults } from './schema/session-settings';
export type { Cursor, Direction, Order } from './search/order';
export type { DatedType, DayCount } from './search/count-by-day';
export type { ResourceMatch, ResourcePage, ResourceQuery, KeyMatch, KeyPage } from './search/resource-query';
export type { UnreadableBlock } from './maintenance/compact-record';
export type { DeleteDependentRows, DestroyedRecord } from './maintenance/destroy';
export type { CompactedRecord, RecordMaintenance } from './maintenance/record-maintenance';
export type { RecordReindexing, ReindexProgress, ReindexedRecord } from './maintenance/record-reindexing';
export type { ExtractIndexValues } from './maintenance/reindex-record';
export type { RecordProblem, VerifiedRecord } from './maintenance/verify-record';
export { newestReleaseTest } from './sources/newest-release';
export { SourceIds, sourceIdsSecret, sourceReferenceOf } from './sources/source-ids';
export { UserRecord } from './user-record';
export type { Change, ChangeOutcome, Deletion, Upsert } from './write/batch-plan';
export type { LockedRecord } from './write/batch-write';
export { KEEP_SOURCE, type NewContent, type WrittenVersion } from './write/content';

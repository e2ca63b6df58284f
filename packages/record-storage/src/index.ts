export type { ResourceBody } from './blocks/entry';
export {
  ContentionError,
  IdNotAvailableError,
  InvalidCursorError,
  MUST_NOT_EXIST,
  RecordDestroyedError,
  VersionConflictError,
} from './errors';
export type { DeletedResource } from './export/deletions';
export type { BlockPosition, ExportFile, ExportScope, ExportSelection } from './export/export-file';
export type { BlockFilter, FileBlock } from './export/file-lines';
export type { FileLimits } from './export/file-drafts';
export { ExportTooLargeError, type PlanOptions, type PlanState, plannedFiles } from './export/plan';
export { SnapshotGoneError } from './export/read-blocks';
export { RecordExport, type RecordExportOptions } from './export/record-export';
export { snapshotTime } from './export/snapshot-time';
export type { StreamOptions } from './export/stream-file';
export { type TypeCode, typeCodeOf, releaseOfCode, typeOfCode } from './type-codes';
export type { HistoryCursor, HistoryVersion, HistoryPage, HistoryQuery } from './read/history';
export type { CurrentVersion } from './read/read';
export { type ResourceKey, isResourceId, keyText, relativeReference } from './resource-key';
export type { RecordReader } from './read/record-reader';
export type { StoredVersion } from './read/stored-version';
export { SNAPSHOT_LIFETIME_MS } from './snapshot-lifetime';
export { RecordStorage, type RecordStorageOptions } from './record-storage';
export { type SchemaOptions, grantReadAccess, recordStorageMigrations } from './schema/migrations';
export { countPartitions, partitionRecords } from './schema/partitioning';
export { setSessionDefaults } from './schema/session-settings';
export type { Cursor, Direction, Order } from './search/order';
export type { ResourceMatch, ResourcePage, ResourceQuery, KeyMatch, KeyPage } from './search/record-search';
export type { UnreadableBlock } from './maintenance/compact-record';
export type { DeleteDependentRows, DestroyedRecord } from './maintenance/destroy';
export type { CompactedRecord, RecordMaintenance } from './maintenance/record-maintenance';
export type { RecordReindexing, ReindexProgress, ReindexedRecord } from './maintenance/record-reindexing';
export type { ExtractIndexValues } from './maintenance/reindex-record';
export { newerReleases, newestReleaseTest } from './sources/newest-release';
export { SourceIds, sourceIdsSecret, sourceReferenceOf } from './sources/source-ids';
export { UserRecord } from './user-record';
export type { Change, ChangeOutcome, Deletion, Upsert } from './write/batch-plan';
export type { LockedRecord } from './write/locked-record';
export { KEEP_SOURCE, type NewContent, type WrittenVersion } from './write/content';

export type { ResourceBody } from './blocks/line';
export {
  ContentionError,
  IdNotAvailableError,
  InvalidCursorError,
  RecordDestroyedError,
  VersionConflictError,
} from './errors';
export type { DeletedResource } from './export/deletions';
export type { BlockPlace, ExportFile, ExportScope, ExportSelection } from './export/export-file';
export type { BlockChoice, FileBlock } from './export/file-lines';
export type { FileLimits } from './export/file-drafts';
export { ExportTooLargeError, type PlanOptions, type PlanState } from './export/plan';
export { SnapshotGoneError } from './export/read-blocks';
export { RecordExport, type RecordExportOptions } from './export/record-export';
export type { StreamOptions } from './export/stream-file';
export { type TypeCode, typeCodeOf, releaseOfCode, typeOfCode } from './type-codes';
export type { HistoryCursor, HistoryEntry, HistoryPage, HistoryQuery } from './read/history';
export type { ResourceHead, ResourceKey } from './read/read';
export type { RecordReader } from './read/record-reader';
export type { StoredVersion } from './read/stored-version';
export { RecordStorage, type RecordStorageOptions } from './record-storage';
export { type SchemaOptions, grantReading, recordStorageMigrations } from './schema/migrations';
export { countPartitions, partitionRecords } from './schema/partitioning';
export { setSessionDefaults } from './schema/session-settings';
export type { Cursor, Order } from './search/order';
export type { Entry, Page, Query, KeyEntry, KeyPage } from './search/search';
export type { UnreadableBlock } from './upkeep/compact-record';
export type { DeleteWithRecords, DestroyedRecord } from './upkeep/destroy';
export type { CompactedRecord, RecordMaintenance } from './upkeep/record-maintenance';
export type { RecordReindexing, ReindexProgress, ReindexedRecord } from './upkeep/record-reindexing';
export type { IndexLine } from './upkeep/reindex-record';
export { UserRecord } from './user-record';
export type { Change, ChangeOutcome, Deletion, Upsert } from './write/batch-plan';
export type { LockedRecord } from './write/locked-record';
export { KEEP_SOURCE, type NewContent, type Written } from './write/content';

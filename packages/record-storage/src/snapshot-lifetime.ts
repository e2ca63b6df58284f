const HOUR_MS = 3600 * 1000;

/** How long an export of a snapshot can be read, in milliseconds from the snapshot on. */
export const SNAPSHOT_LIFETIME_MS = 24 * HOUR_MS;

/**
 * How long a block that compaction has replaced is kept, in milliseconds: longer than any snapshot that contains it can
 * be read.
 */
export const RETIRED_BLOCK_LIFETIME_MS = SNAPSHOT_LIFETIME_MS + HOUR_MS;

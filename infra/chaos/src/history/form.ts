/** The values of REDIS_MODE. */
export const redisModes = ['server', 'sentinel', 'cluster'] as const;

/** What takes the place of one PostgreSQL and one Redis. */
export interface Form {
  readonly redis: (typeof redisModes)[number];
  /** The replicas reach PostgreSQL through PgBouncer. */
  readonly pgbouncer: boolean;
  /** Exports read a streaming replica of PostgreSQL. */
  readonly readReplica: boolean;
  /** Large Binaries are written as well, with their content in an object storage. */
  readonly objectStorage: boolean;
}

export const plainForm: Form = { redis: 'server', pgbouncer: false, readReplica: false, objectStorage: false };

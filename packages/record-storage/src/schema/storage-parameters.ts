import { keySchema } from './key-schema';

const autovacuum = [
  'autovacuum_vacuum_scale_factor = 0.02',
  'autovacuum_analyze_scale_factor = 0.02',
  'autovacuum_vacuum_threshold = 5000',
  'autovacuum_analyze_threshold = 5000',
].join(', ');

/**
 * Storage parameters of the tables that grow with the records, set on each partition: a partitioned table takes none.
 * Vacuum and analyze come after 2 % of a table has changed, not 20 %: of a hundred million rows that would be twenty million.
 * A small table waits for some thousands of changes, or it would be analyzed every minute.
 * A compaction changes where the line of a resource lies; `fillfactor` leaves room for that on the page of its row, so that most of these updates
 * touch no index. Lower values cost disk for all the rows that are never moved, since a health system's batches fill their blocks at once.
 */
const parameters = {
  'fhir_store.resource': `fillfactor = 95, ${autovacuum}`,
  'fhir_store.version': autovacuum,
  'fhir_store.block': `fillfactor = 95, ${autovacuum},
    toast.autovacuum_vacuum_scale_factor = 0.02`,
  // A destroyed key is removed from the pages soon, and not only when a share of the table is dead.
  [`${keySchema}.record_key`]: 'autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0',
};

const setParameters = Object.entries(parameters).map(
  ([table, settings]) => `DO $$
    DECLARE leaf regclass;
    BEGIN
      FOR leaf IN
        SELECT oid FROM pg_class WHERE oid = '${table}'::regclass AND relkind = 'r'
        UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = '${table}'::regclass
      LOOP
        EXECUTE format('ALTER TABLE %s SET (${settings})', leaf);
      END LOOP;
    END $$`,
);

/**
 * The planner reads a user's rows by the primary key whatever the values are: it needs no statistics of the arrays, of which ANALYZE would
 * count the elements in every partition.
 */
const withoutArrayStatistics =
  'ALTER TABLE fhir_store.resource ALTER COLUMN terms SET STATISTICS 0, ALTER COLUMN ranges SET STATISTICS 0';

/** Statements that set the storage parameters; they may be repeated. */
export const setStorageParameters: readonly string[] = [...setParameters, withoutArrayStatistics];

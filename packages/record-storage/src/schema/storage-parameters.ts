import { keySchema } from './key-schema';

/**
 * Storage parameters of the tables that grow with the records, set on each partition: a partitioned table takes none.
 * Vacuum and analyze come after 2 % of a table has changed, not 20 %: of a hundred million rows that would be twenty million.
 * A compaction changes where the line of a resource lies; `fillfactor` leaves room for that on the page of its row, so that most of these updates
 * touch no index. Lower values cost disk for all the rows that are never moved, since a health system's batches fill their blocks at once.
 */
const parameters = {
  'fhir_store.resource': 'fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02',
  'fhir_store.version': 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02',
  'fhir_store.block': `fillfactor = 95, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
    toast.autovacuum_vacuum_scale_factor = 0.02`,
  // A destroyed key is removed from the pages soon, and not only when a share of the table is dead.
  [`${keySchema}.record_key`]: 'autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0',
};

/** Statements that set the storage parameters; they may be repeated. */
export const setStorageParameters: readonly string[] = Object.entries(parameters).map(
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

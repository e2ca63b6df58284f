/**
 * Storage parameters of the tables that grow with the records, set on each partition: a partitioned table takes none.
 * Vacuum and analyze come after 2 % of a table has changed, not 20 %: of a hundred million rows that would be twenty million.
 * A compaction changes where the line of a resource lies. `fillfactor` leaves room for that on the page of its row, so that it touches no index.
 */
const parameters = {
  resource: 'fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02',
  version: 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02',
  block: `fillfactor = 95, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
    toast.autovacuum_vacuum_scale_factor = 0.02`,
};

/** Statements that set the storage parameters; they may be repeated. */
export const setStorageParameters: readonly string[] = Object.entries(parameters).map(
  ([table, settings]) => `DO $$
    DECLARE leaf regclass;
    BEGIN
      FOR leaf IN
        SELECT oid FROM pg_class WHERE oid = 'fhir_store.${table}'::regclass AND relkind = 'r'
        UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = 'fhir_store.${table}'::regclass
      LOOP
        EXECUTE format('ALTER TABLE %s SET (${settings})', leaf);
      END LOOP;
    END $$`,
);

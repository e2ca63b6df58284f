import { keySchema } from './key-schema';

const autovacuum = [
  'autovacuum_vacuum_scale_factor = 0.02',
  'autovacuum_analyze_scale_factor = 0.02',
  'autovacuum_vacuum_threshold = 5000',
  'autovacuum_analyze_threshold = 5000',
].join(', ');

/**
 * Storage parameters of the tables that grow with the records, set on each partition: a partitioned table takes none.
 * Vacuum and analyze come after 2 % of a table has changed, not 20 %: of a hundred million rows that would be twenty
 * million. A small table waits for some thousands of changes, or it would be analyzed every minute. An update or a
 * compaction changes a row of `resource` without touching an index; `fillfactor` leaves room on its page for the new
 * row. Measured with 12,000 resources, compaction and 2,400 updates: 81 % of the updates are HOT at 100, 87 % at 97, 88
 * % at 95 and 90. A row of `block` is updated when it is retired, which an index covers, so no update of it would be
 * HOT.
 */
const parameters: ReadonlyMap<string, string> = new Map([
  ['fhir_store.resource', `fillfactor = 97, ${autovacuum}`],
  ['fhir_store.resource_history', autovacuum],
  ['fhir_store.block', `${autovacuum}, toast.autovacuum_vacuum_scale_factor = 0.02`],
  // A destroyed key is removed from the pages soon, and not only when a share of the table is dead.
  [`${keySchema}.record_key`, 'autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0'],
]);

const setParameters = (table: string, settings: string): string => `DO $$
    DECLARE leaf regclass;
    BEGIN
      FOR leaf IN
        SELECT oid FROM pg_class WHERE oid = '${table}'::regclass AND relkind = 'r'
        UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = '${table}'::regclass
      LOOP
        EXECUTE format('ALTER TABLE %s SET (${settings})', leaf);
      END LOOP;
    END $$`;

/**
 * Statements that set the storage parameters; they may be repeated. The search arrays need no statistics: the planner
 * reads the rows of a user by the primary key whatever the values are, and ANALYZE would count the elements in every
 * partition.
 */
export const setStorageParameters: readonly string[] = [
  ...[...parameters].map(([table, settings]) => setParameters(table, settings)),
  `ALTER TABLE fhir_store.resource ALTER COLUMN blind_terms SET STATISTICS 0, ALTER COLUMN ranges SET STATISTICS 0`,
];

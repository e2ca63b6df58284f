import { releases } from '@tributary/fhir-definitions';
import type { StatementRunner } from '@tributary/key-vault';
import { typeCodeOf } from '../type-codes';

/** The type codes of Binary, as a list in SQL. The predicate of the index and of its statement must be the same. */
export const binaryTypeCodes = releases.map((release) => typeCodeOf(release, 'Binary')).join(', ');

/**
 * The index that finds a Binary by its id alone, among the records of all users of a client. Rows of other types are
 * not in it.
 */
export class BinaryIds1763860000000 {
  readonly name = 'BinaryIds1763860000000';

  async up(runner: StatementRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX resource_binary ON fhir_store.resource (id) WHERE type_code IN (${binaryTypeCodes})`,
    );
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query('DROP INDEX fhir_store.resource_binary');
  }
}

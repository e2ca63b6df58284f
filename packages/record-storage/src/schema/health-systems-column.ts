import type { StatementRunner } from '@tributary/key-vault';

/**
 * health_systems: the encrypted ids of the health systems from which the record was collected; null before the first
 * collection by this version. Adding the column changes the catalog only.
 */
export class HealthSystems1763910000000 {
  readonly name = 'HealthSystems1763910000000';

  async up(runner: StatementRunner): Promise<void> {
    await runner.query('ALTER TABLE fhir_store.record ADD COLUMN health_systems bytea');
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query('ALTER TABLE fhir_store.record DROP COLUMN health_systems');
  }
}

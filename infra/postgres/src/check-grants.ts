import { findSchemaChanges } from '@tributary/audit-log';
import type { Client } from 'pg';
import { expectedGrants } from './expected-grants';
import { databaseUsers, roleOf } from './provision';
import { readGrants } from './read-grants';

/**
 * Compares the grants of a provisioned database, and the policies, rules, triggers and functions of its audit log, with
 * those that it should have.
 * @param client connected to the database as the role that has provisioned it
 * @returns a sentence for each that is missing, changed or not expected
 */
export async function findGrantProblems(client: Client): Promise<string[]> {
  const { grants, objects } = await readGrants(client, databaseUsers.map(roleOf));
  const found = new Set(grants);
  const expected = new Set(expectedGrants(objects));
  const changes = await findSchemaChanges(client);
  return [
    ...changes.map(({ object }) => `changed in the audit log: ${object}`),
    ...grants.filter((grant) => !expected.has(grant)).map((grant) => `not expected: ${grant}`),
    ...[...expected].filter((grant) => !found.has(grant)).map((grant) => `missing: ${grant}`),
  ];
}

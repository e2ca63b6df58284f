import type { BareRecord } from '../bare/bare-tables';
import type { RequestStep } from '../load/sequence';
import type { BenchUser } from '../suite/users';
import type { RecordTemplate } from './record-template';

/** A user with the record that is stored for the user. */
export interface Person extends BenchUser {
  template: RecordTemplate;
}

/** The headers of every request of a user. */
export function fhirHeaders({ token }: BenchUser): Record<string, string> {
  return { authorization: `Bearer ${token}`, accept: 'application/fhir+json' };
}

export function get(person: BenchUser, path: string): RequestStep {
  return { method: 'GET', path, headers: fhirHeaders(person), expect: 200 };
}

export function bareRecord({ userId, template }: Person): BareRecord {
  return { userId, template };
}

/** Picks `count` items from the whole list. Items are repeated when the list is shorter. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: items.length === 0 ? 0 : count }, (_, n) => items[(n * 7919) % items.length] as Item);
}

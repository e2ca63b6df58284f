import { FhirError } from './fhir-error';

/** Bytes of a request body, and of a resource as it is stored. */
export const maxResourceBytes = 20 * 1024 * 1024;

/** What one request may ask for. The README lists these limits; an error names the one that is exceeded. */
export const limits = {
  /** Entries of a batch or transaction. */
  bundleEntries: 10_000,
  /** GET and HEAD requests among them. */
  bundleReads: 1000,
  /** Different conditional references in a transaction. */
  conditionalReferences: 1000,
  /** Resources that a conditional delete removes. */
  conditionalDeletes: 10_000,
  /** Resources over which one link of a chain, a `_has` or a hierarchy leads. */
  linkedResources: 50_000,
  /** Rounds of `_include:iterate` and `_revinclude:iterate`. */
  includeRounds: 10,
} as const;

/** An answer to a request that would cost more than one request may. */
export function tooCostly(message: string): FhirError {
  return new FhirError(400, message, 'too-costly');
}

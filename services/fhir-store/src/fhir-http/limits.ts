import { FhirError } from './fhir-error';

/** The limit of a request body, and of a stored resource, in bytes. */
export const maxResourceBytes = 20 * 1024 * 1024;

/** Members of objects and items of arrays. Bodies of real records have one for 23 bytes. */
export const maxMembers = {
  /** In a body. */
  body: 1_000_000,
  /** In a resource that is stored or validated. Real ones have fewer than 10,000. */
  resource: 100_000,
} as const;

/** Limits of what a response, and the content of a Binary, hold; in bytes. */
export interface ContentLimits {
  /** The content of a Binary in its native media type; base64 makes it a third larger. */
  readonly nativeBytes: number;
  /** The same, when it is in the object storage. */
  readonly storedBytes: number;
  /** A page of a search, an operation or a history. A page with a single resource may exceed it. */
  readonly pageBytes: number;
  /** The responses in a Bundle. That of one search has at most `pageBytes`. */
  readonly bundleBytes: number;
}

export const defaultContentLimits: ContentLimits = {
  nativeBytes: 15_000_000,
  storedBytes: 200_000_000,
  pageBytes: 16_000_000,
  bundleBytes: 64_000_000,
};

/** Larger content of a Binary is in the object storage, when one is configured; in bytes. */
export const maxInlineBytes = 1_000_000;

/** Limits of one request. The README of the repository lists them; an error names the one that is exceeded. */
export const limits = {
  /** Entries of a batch or transaction. */
  bundleEntries: 10_000,
  /** GET and HEAD requests among them. */
  bundleReads: 1000,
  /** Different conditional references in a transaction. */
  conditionalReferences: 1000,
  /** Resources that a conditional delete removes. */
  conditionalDeletes: 10_000,
  /** Resources that one subquery of a search selects: a link of a chain, a `_has` or a hierarchy. */
  linkedResources: 50_000,
  /** Rounds of `_include:iterate` and `_revinclude:iterate`. */
  includeRounds: 10,
} as const;

/** The error of a request that exceeds a limit. */
export function tooCostly(message: string): FhirError {
  return new FhirError(400, message, 'too-costly');
}

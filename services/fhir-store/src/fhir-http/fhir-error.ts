import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import type { IssueSeverity } from '@tributary/fhir-validation';

/**
 * One issue of an OperationOutcome (https://hl7.org/fhir/R4/operationoutcome.html). It names parameters, elements and
 * rules, and contains no values.
 */
export interface OutcomeIssue {
  readonly severity: IssueSeverity;
  /** A code of the r4 value set issue-type (https://hl7.org/fhir/R4/valueset-issue-type.html). */
  readonly code: string;
  readonly diagnostics: string;
  /** The FHIRPath of the element. */
  readonly expression?: string;
  /** The XPath of the element, or `http.<parameter>`. It is used in dstu2, which has no `expression`. */
  readonly location?: string;
}

/** An error response. The endpoint renders it as an OperationOutcome of the release. */
export class FhirError extends Error {
  override readonly name = 'FhirError';
  readonly issues: readonly OutcomeIssue[];

  constructor(
    readonly status: number,
    issues: string | readonly OutcomeIssue[],
    code = 'processing',
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    const all = typeof issues === 'string' ? [{ severity: 'error' as const, code, diagnostics: issues }] : issues;
    super(all[0]?.diagnostics ?? 'the request failed');
    this.issues = all;
  }
}

/** A 400; the default code is `invalid`. */
export function badRequest(message: string, code = 'invalid'): FhirError {
  return new FhirError(400, message, code);
}

/** A 413 for the content of a Binary. */
export function contentTooLarge(maxBytes: number): FhirError {
  return new FhirError(413, `the content of a Binary is larger than ${maxBytes / 1_000_000} MB`, 'too-long');
}

/** A 404 for a resource of this type. */
export function notFound(type: string): FhirError {
  return new FhirError(404, `there is no such ${type} in this record`, 'not-found');
}

/** A 410 for a paging link that another version of the service created. */
export function pageGone(): FhirError {
  return new FhirError(
    410,
    'the paging link was made by another version of the service: begin again with the first page',
    'not-found',
  );
}

/** A 412, for a condition of the request that the stored version does not meet. */
export function preconditionFailed(message: string): FhirError {
  return new FhirError(412, message, 'conflict');
}

/** The OperationOutcome of these issues. */
export function outcomeOf(release: Release, issues: readonly OutcomeIssue[]): Resource {
  return { resourceType: 'OperationOutcome', issue: issues.map((issue) => issueOf(release, issue)) };
}

function issueOf(release: Release, { severity, code, diagnostics, expression, location }: OutcomeIssue): JsonObject {
  const position: JsonObject =
    release === 'dstu2'
      ? { location: location === undefined ? undefined : [location] }
      : { expression: expression === undefined ? undefined : [expression] };
  return { severity, code: release === 'r4' ? code : (codesBeforeR4.get(code) ?? code), diagnostics, ...position };
}

/** Issue types that r4 added, mapped to those of earlier releases. */
const codesBeforeR4 = new Map([['deleted', 'not-found']]);

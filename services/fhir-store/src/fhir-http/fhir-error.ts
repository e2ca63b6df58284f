import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import type { IssueSeverity } from '@tributary/fhir-validation';

/** One issue of an OperationOutcome. It names parameters, elements and rules, never values. */
export interface OutcomeIssue {
  readonly severity: IssueSeverity;
  /** A code of r4's value set issue-type. */
  readonly code: string;
  readonly diagnostics: string;
  /** As FHIRPath. */
  readonly expression?: string;
  /** As XPath, or `http.<parameter>`: dstu2 has no expression. */
  readonly location?: string;
}

/** An error response. It is thrown where a rule of FHIR is broken, and rendered by the endpoint as an OperationOutcome of the release. */
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

export function badRequest(message: string, code = 'invalid'): FhirError {
  return new FhirError(400, message, code);
}

export function notFound(type: string): FhirError {
  return new FhirError(404, `there is no such ${type} in this record`, 'not-found');
}

/** For a paging link that another version of the service made. */
export function pageGone(): FhirError {
  return new FhirError(
    410,
    'the paging link was made by another version of the service: begin again with the first page',
    'not-found',
  );
}

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
  return { severity, code: release === 'r4' ? code : (codesBeforeR4[code] ?? code), diagnostics, ...position };
}

/** Issue types that r4 added, and what earlier releases use instead. */
const codesBeforeR4: Readonly<Record<string, string>> = { deleted: 'not-found' };

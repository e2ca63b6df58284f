import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import type { Issue } from './issue';

/** An OperationOutcome of a release with these issues; without issues, it says that the resource is valid. */
export function operationOutcome(release: Release, issues: readonly Issue[]): Resource {
  const reported = issues.length > 0 ? issues : [VALID];
  return { resourceType: 'OperationOutcome', issue: reported.map((issue) => outcomeIssue(release, issue)) };
}

const VALID: Issue = { severity: 'information', code: 'informational', diagnostics: 'The resource is valid.' };

function outcomeIssue(release: Release, { severity, code, diagnostics, expression, location }: Issue): JsonObject {
  const issue: JsonObject = { severity, code, diagnostics };
  if (release === 'dstu2') {
    if (location !== undefined) issue['location'] = [location];
  } else if (expression !== undefined) {
    issue['expression'] = [expression];
  }
  return issue;
}

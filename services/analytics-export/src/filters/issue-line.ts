import { type TypeCode, releaseOfCode, typeOfCode } from '@tributary/record-storage';
import type { IssueFile } from '../files/manifest-file';

interface Issue {
  code: 'not-supported' | 'processing';
  diagnostics: string;
}

/**
 * The OperationOutcome of a file: resources left out because their release lacks the search of a `_typeFilter`, or
 * because they cannot be converted to R4.
 */
export function issueLine(file: IssueFile): Buffer {
  const issue = issuesOf(file).map((each) => ({ severity: 'error', ...each }));
  return Buffer.from(`${JSON.stringify({ resourceType: 'OperationOutcome', issue })}\n`);
}

function issuesOf({ typeCode, resources, convertedFrom, reasons }: IssueFile): Issue[] {
  if (convertedFrom === undefined) {
    const diagnostics = `_typeFilter: FHIR ${releaseName(typeCode)} does not define this search of ${typeOfCode(typeCode)}, so ${resources} resources of this type and release are left out`;
    return [{ code: 'not-supported', diagnostics }];
  }
  if (!reasons)
    return [
      {
        code: 'not-supported',
        diagnostics: `${countOf(convertedFrom, resources)} left out: there is no conversion of this type to R4`,
      },
    ];
  return reasons.map((failures) => ({
    code: 'processing',
    diagnostics: `${countOf(convertedFrom, failures.resources)} left out: not converted to R4. ${failures.reason}`,
  }));
}

function countOf(typeCode: TypeCode, resources: number): string {
  return `${resources} ${resources === 1 ? 'resource' : 'resources'} of type ${typeOfCode(typeCode)} of FHIR ${releaseName(typeCode)} ${resources === 1 ? 'is' : 'are'}`;
}

function releaseName(typeCode: TypeCode): string {
  return releaseOfCode(typeCode).toUpperCase();
}

import { type TypeCode, releaseOfCode, typeOfCode } from '@tributary/record-storage';
import { type UnconvertedFile, isUnconverted } from '../conversion/converted-files';
import type { IssueFile } from '../files/file-description';

interface Issue {
  code: 'not-supported' | 'processing';
  diagnostics: string;
}

/** The OperationOutcome that tells of resources left out: their release has not the search that was asked for, or they cannot be had in R4. */
export function issueLine(file: IssueFile): Buffer {
  const issue = (isUnconverted(file) ? issuesOf(file) : [withoutSearch(file)]).map((each) => ({
    severity: 'error',
    ...each,
  }));
  return Buffer.from(`${JSON.stringify({ resourceType: 'OperationOutcome', issue })}\n`);
}

function withoutSearch({ typeCode, resources }: IssueFile): Issue {
  const diagnostics = `_typeFilter: FHIR ${releaseOfCode(typeCode).toUpperCase()} has not this search of ${typeOfCode(typeCode)}, so ${resources} resources of this type and release are left out`;
  return { code: 'not-supported', diagnostics };
}

function issuesOf({ source, resources, reasons }: UnconvertedFile): Issue[] {
  if (!reasons)
    return [
      {
        code: 'not-supported',
        diagnostics: `${numberOf(source, resources)} left out: there is no conversion of this type to R4`,
      },
    ];
  return reasons.map((left) => ({
    code: 'processing',
    diagnostics: `${numberOf(source, left.resources)} left out: not converted to R4. ${left.reason}`,
  }));
}

function numberOf(typeCode: TypeCode, resources: number): string {
  return `${resources} ${resources === 1 ? 'resource' : 'resources'} of type ${typeOfCode(typeCode)} of FHIR ${releaseOfCode(typeCode).toUpperCase()} ${resources === 1 ? 'is' : 'are'}`;
}

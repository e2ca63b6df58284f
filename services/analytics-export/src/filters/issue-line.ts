import { releaseOfKind, typeOfKind } from '@tributary/record-storage';
import type { IssueFile } from '../files/file-description';

/** The OperationOutcome that tells of resources left out, because their release has not the search that was asked for. */
export function issueLine({ kind, resources }: IssueFile): Buffer {
  const diagnostics = `_typeFilter: FHIR ${releaseOfKind(kind).toUpperCase()} has not this search of ${typeOfKind(kind)}, so ${resources} resources of this type and release are left out`;
  return Buffer.from(`${JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'not-supported', diagnostics }] })}\n`);
}

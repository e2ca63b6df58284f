import type { SourceRelease } from '@tributary/fhir-conversion';
import type { Release } from '@tributary/fhir-definitions';
import {
  type ExportFile,
  type ExportScope,
  type ExportSelection,
  SNAPSHOT_LIFETIME_MS,
  type TypeCode,
  releaseOfCode,
  typeOfCode,
} from '@tributary/record-storage';
import type { LineSelection } from '../filters/line-selection';

// In an export in R4, each of these files has the R4 type code of its content, and `convertedFrom` says what is stored.

/** The asynchronous export that a file belongs to; when it is deleted, the file is too. */
interface OfJob {
  readonly job?: string;
}

/** A file of resources: the stored resources of one type code at a snapshot, converted to R4 or as they are. */
export interface ResourceFile extends OfJob {
  readonly of: 'resources';
  readonly file: ExportFile;
  /** Filters the lines of the file. In an asynchronous export the job has the selection. */
  readonly selection?: LineSelection;
  /** The stored type code, of DSTU2 or STU3, when the lines are converted while they are read. */
  readonly convertedFrom?: TypeCode;
}

/** A file of transaction Bundles that name what was deleted since a time, of one release. */
export interface DeletionFile extends OfJob {
  readonly of: 'deletions';
  readonly selection: ExportSelection & { readonly since: number };
  readonly release: Release;
  /** Bundles in the file. */
  readonly count: number;
  /** What was deleted, when it is named by its R4 type. */
  readonly convertedFrom?: { readonly release: SourceRelease; readonly selection: ExportSelection };
}

/** A file of one OperationOutcome: the resources that the export leaves out, and why. */
export interface IssueFile extends OfJob {
  readonly of: 'issue';
  readonly scope: ExportScope;
  /** The snapshot, exclusive, in epoch milliseconds. */
  readonly at: number;
  readonly typeCode: TypeCode;
  /** Resources left out. */
  readonly resources: number;
  /** The stored type code of what cannot be converted to R4. */
  readonly convertedFrom?: TypeCode;
  /** Why single resources cannot be converted; undefined when there is no conversion of the type. */
  readonly reasons?: readonly ConversionFailures[];
}

/** How many resources could not be converted for a reason. The reason holds no value of theirs. */
export interface ConversionFailures {
  readonly reason: string;
  readonly resources: number;
}

/** A file of the manifest. A file token holds all of it: the bytes are made when the file is downloaded. */
export type ManifestFile = ResourceFile | DeletionFile | IssueFile;

/** What the manifest says of a file. */
export interface FileMetadata {
  /** The resource type of its lines. */
  type: string;
  release: Release;
  /** Lines. */
  count: number;
  scope: ExportScope;
  /** The snapshot, exclusive, in epoch milliseconds. */
  at: number;
}

/** What the manifest says of a file. A file of an issue has one line. */
export function fileMetadata(file: ManifestFile): FileMetadata {
  switch (file.of) {
    case 'resources': {
      const { typeCode, count, scope, at } = file.file;
      return { type: typeOfCode(typeCode), release: releaseOfCode(typeCode), count, scope, at };
    }
    case 'deletions': {
      const { release, count, selection } = file;
      return { type: 'Bundle', release, count, scope: selection.scope, at: selection.at };
    }
    case 'issue': {
      const { scope, at, typeCode } = file;
      return { type: 'OperationOutcome', release: releaseOfCode(typeCode), count: 1, scope, at };
    }
  }
}

/** The types of the resources in a file, or of those that it names. Undefined: all. */
export function exportedTypes(file: ManifestFile): readonly string[] | undefined {
  switch (file.of) {
    case 'resources':
      return [typeOfCode(file.file.typeCode)];
    case 'deletions':
      return file.selection.typeCodes?.map(typeOfCode);
    case 'issue':
      return [typeOfCode(file.typeCode)];
  }
}

/** The types that these resources are stored as. Undefined: all. */
export function storedTypes(file: ManifestFile): readonly string[] | undefined {
  if (file.convertedFrom === undefined) return exportedTypes(file);
  return typeof file.convertedFrom === 'number'
    ? [typeOfCode(file.convertedFrom)]
    : file.convertedFrom.selection.typeCodes?.map(typeOfCode);
}

/** The release from which a file is converted to R4; undefined when nothing is converted. */
export function convertedFromRelease({ convertedFrom }: ManifestFile): SourceRelease | undefined {
  return typeof convertedFrom === 'number' ? sourceRelease(convertedFrom) : convertedFrom?.release;
}

/** The release of a type code that is converted. @throws RangeError for a type code of R4 */
export function sourceRelease(typeCode: TypeCode): SourceRelease {
  const release = releaseOfCode(typeCode);
  if (release === 'r4') throw new RangeError(`type code ${typeCode} belongs to R4 and is not converted`);
  return release;
}

/** When a file of a snapshot can no longer be downloaded: a day after the snapshot, whenever the file was listed. */
export function expiryOf({ at }: { readonly at: number }): Date {
  return new Date(at + SNAPSHOT_LIFETIME_MS);
}

import type { SourceRelease } from '@tributary/fhir-conversion';
import { type ExportSelection, type TypeCode, releaseOfCode, typeOfCode } from '@tributary/record-storage';
import {
  type DeletionFile,
  type FileDescription,
  type IssueFile,
  type ResourceFile,
  typesIn,
} from '../files/file-description';

// The description of a file in R4 says the R4 kind of what it gives out, as for any other file; `source` says what is stored.

/** A file of resources that are converted to R4 while they are read. */
export interface ConvertedFile extends ResourceFile {
  readonly source: TypeCode;
}

/** A file of deletions of resources that are exported converted: each is named by its R4 type. */
export interface ConvertedDeletionFile extends DeletionFile {
  readonly source: { readonly release: SourceRelease; readonly selection: ExportSelection };
}

/** A file of one OperationOutcome: resources that an export in R4 had to leave out. */
export interface UnconvertedFile extends IssueFile {
  readonly source: TypeCode;
  /** Why; without it there is no conversion of the kind. */
  readonly reasons?: readonly LeftOut[];
}

/** How many resources could not be converted for a reason, which holds no value of theirs. */
export interface LeftOut {
  readonly reason: string;
  readonly resources: number;
}

export function isConverted(file: ResourceFile): file is ConvertedFile {
  return 'source' in file;
}

export function isOfConverted(file: DeletionFile): file is ConvertedDeletionFile {
  return 'source' in file;
}

export function isUnconverted(file: IssueFile): file is UnconvertedFile {
  return 'source' in file;
}

/** The release that a file in R4 is made from; undefined for one that tells of resources as they are stored. */
export function sourceReleaseOf(description: FileDescription): SourceRelease | undefined {
  switch (description.of) {
    case 'resources':
      return isConverted(description) ? sourceRelease(description.source) : undefined;
    case 'deletions':
      return isOfConverted(description) ? description.source.release : undefined;
    case 'issue':
      return isUnconverted(description) ? sourceRelease(description.source) : undefined;
  }
}

/** The resource types that were stored of what a file tells of; undefined for all. */
export function storedTypesIn(description: FileDescription): readonly string[] | undefined {
  switch (description.of) {
    case 'resources':
      return isConverted(description) ? [typeOfCode(description.source)] : typesIn(description);
    case 'deletions':
      return isOfConverted(description)
        ? description.source.selection.typeCodes?.map(typeOfCode)
        : typesIn(description);
    case 'issue':
      return isUnconverted(description) ? [typeOfCode(description.source)] : typesIn(description);
  }
}

/** The release of a kind that is converted. @throws RangeError for one of R4 */
export function sourceRelease(typeCode: TypeCode): SourceRelease {
  const release = releaseOfCode(typeCode);
  if (release === 'r4') throw new RangeError(`the kind ${typeCode} is of R4 and not converted`);
  return release;
}

import type { Release } from '@tributary/fhir-definitions';
import {
  type ExportFile,
  type ExportScope,
  type ExportSelection,
  type TypeCode,
  releaseOfCode,
  typeOfCode,
} from '@tributary/record-storage';
import type { LineSelection } from '../filters/line-selection';

/** A file of resources: which blocks of the record storage, as of when. */
export interface ResourceFile {
  readonly of: 'resources';
  readonly file: ExportFile;
  /** What is left of its lines; a long selection stands with the job instead. */
  readonly selection?: LineSelection;
  readonly job?: string;
}

/** A file of Bundles that name what was deleted since a time, of one release. */
export interface DeletionFile {
  readonly of: 'deletions';
  readonly selection: ExportSelection & { readonly since: number };
  readonly release: Release;
  /** Bundles in the file. */
  readonly count: number;
}

/** A file of one OperationOutcome: resources that the export had to leave out, and why. */
export interface IssueFile {
  readonly of: 'issue';
  readonly scope: ExportScope;
  readonly at: number;
  readonly typeCode: TypeCode;
  /** Resources left out. */
  readonly resources: number;
}

/** All there is of a file: its bytes are made when they are asked for. */
export type FileDescription = ResourceFile | DeletionFile | IssueFile;

/** What may be told of a file. */
export interface FileFacts {
  /** The resource type of its lines. */
  type: string;
  release: Release;
  /** Its lines. */
  count: number;
  scope: ExportScope;
  /** The time of its snapshot, exclusive. */
  at: number;
}

export function factsOf(description: FileDescription): FileFacts {
  switch (description.of) {
    case 'resources': {
      const { typeCode, count, scope, at } = description.file;
      return { type: typeOfCode(typeCode), release: releaseOfCode(typeCode), count, scope, at };
    }
    case 'deletions': {
      const { release, count, selection } = description;
      return { type: 'Bundle', release, count, scope: selection.scope, at: selection.at };
    }
    case 'issue': {
      const { scope, at, typeCode } = description;
      return { type: 'OperationOutcome', release: releaseOfCode(typeCode), count: 1, scope, at };
    }
  }
}

/** The resource types that a file tells of; undefined for all. */
export function typesIn(description: FileDescription): readonly string[] | undefined {
  switch (description.of) {
    case 'resources':
      return [typeOfCode(description.file.typeCode)];
    case 'deletions':
      return description.selection.typeCodes?.map(typeOfCode);
    case 'issue':
      return [typeOfCode(description.typeCode)];
  }
}

const lifetimeMs = 24 * 60 * 60 * 1000;

/**
 * When the files of a snapshot can no longer be downloaded: a day after the snapshot, not after their issue, for the storage
 * keeps what a snapshot needs for 25 hours from the snapshot on.
 */
export function expiryOf({ at }: { readonly at: number }): Date {
  return new Date(at + lifetimeMs);
}

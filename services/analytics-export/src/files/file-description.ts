import type { Release } from '@tributary/fhir-definitions';
import { type ExportFile, type ExportScope, type ExportSelection, releaseOfKind, typeOfKind } from '@tributary/record-storage';

/** A file of resources: which blocks of the record storage, as of when. */
export interface ResourceFile {
  readonly of: 'resources';
  readonly file: ExportFile;
}

/** A file of Bundles that name what was deleted since a time, of one release. */
export interface DeletionFile {
  readonly of: 'deletions';
  readonly selection: ExportSelection & { readonly since: number };
  readonly release: Release;
  /** Bundles in the file. */
  readonly count: number;
}

/** All there is of a file: its bytes are made when they are asked for. */
export type FileDescription = ResourceFile | DeletionFile;

/** What may be told of a file. */
export interface FileFacts {
  /** The resource type of its lines. */
  type: string;
  release: Release;
  count: number;
  scope: ExportScope;
  /** The time of its snapshot, exclusive. */
  at: number;
}

export function factsOf(description: FileDescription): FileFacts {
  if (description.of === 'resources') {
    const { kind, count, scope, at } = description.file;
    return { type: typeOfKind(kind), release: releaseOfKind(kind), count, scope, at };
  }
  const { release, count, selection } = description;
  return { type: 'Bundle', release, count, scope: selection.scope, at: selection.at };
}

const lifetimeMs = 24 * 60 * 60 * 1000;

/**
 * When a file can no longer be downloaded: a day after its snapshot, not after its issue, for the storage keeps what a
 * snapshot needs for 25 hours from the snapshot on.
 */
export function expiryOf({ at }: Pick<FileFacts, 'at'>): Date {
  return new Date(at + lifetimeMs);
}

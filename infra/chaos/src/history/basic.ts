import { type LargeBinary, markerOf } from './large-binary';
import type { VersionState } from './operation';

/** Conditional interactions search for the slot; the marker is unique for each write. */
export interface Basic {
  readonly resourceType: 'Basic';
  readonly id?: string;
  readonly meta?: { readonly versionId?: string; readonly lastUpdated?: string };
  readonly identifier: readonly { readonly system: string; readonly value: string }[];
  readonly code: { readonly text: string };
}

const slotSystem = 'urn:history-checker:slot';

export function basic(marker: string, slot: string, id?: string): Basic {
  return {
    resourceType: 'Basic',
    ...(id === undefined ? {} : { id }),
    identifier: [{ system: slotSystem, value: slot }],
    code: { text: marker },
  };
}

export function criteriaOf(slot: string): string {
  return `identifier=${encodeURIComponent(`${slotSystem}|${slot}`)}`;
}

/** The marker and version of a resource in a response. @throws Error when it is no Basic or large Binary as stored */
export function stateOf(resource: unknown): VersionState & { lastUpdated: number } {
  const { id, meta, ...rest } = resource as Basic | LargeBinary;
  const marker = rest.resourceType === 'Binary' ? markerOf(rest.data) : rest.code?.text;
  if (id === undefined || meta?.versionId === undefined || marker === undefined)
    throw new Error(`not as stored: ${JSON.stringify(resource).slice(0, 300)}`);
  return { id, version: Number(meta.versionId), marker, lastUpdated: Date.parse(meta.lastUpdated ?? '') };
}

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

/** The slot, marker and version of a resource in a response. @throws Error when it is no stored Basic */
export function stateOf(resource: unknown): VersionState & { lastUpdated: number } {
  const { id, meta, code } = resource as Partial<Basic>;
  if (id === undefined || meta?.versionId === undefined || code?.text === undefined)
    throw new Error(`no stored Basic: ${JSON.stringify(resource).slice(0, 300)}`);
  return { id, version: Number(meta.versionId), marker: code.text, lastUpdated: Date.parse(meta.lastUpdated ?? '') };
}

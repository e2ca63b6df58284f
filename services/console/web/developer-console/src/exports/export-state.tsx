import type { ExportEntry } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { Status } from '../components/status';

export const isUnfinished = ({ state }: Pick<ExportEntry, 'state'>): boolean =>
  state === 'accepted' || state === 'planning';

/** How far an export is, in words. */
export function ExportState({ entry: { state, progress } }: { entry: ExportEntry }): ReactNode {
  switch (state) {
    case 'accepted':
      return <Status kind="waiting">Waiting to begin</Status>;
    case 'planning':
      return <Status kind="waiting">{`Preparing, ${progress} %`}</Status>;
    case 'finished':
      return <Status kind="good">Ready</Status>;
    case 'failed':
      return <Status kind="bad">Failed</Status>;
  }
}

export const typesText = ({ types }: ExportEntry): string => types?.join(', ') ?? 'All';

import type { ReactNode } from 'react';
import { Status } from '../components/status';
import { type AuditEvent, outcomes } from './event-words';

export function OutcomeOf({ outcome }: Pick<AuditEvent, 'outcome'>): ReactNode {
  const { kind, words } = outcomes[outcome];
  return <Status kind={kind}>{words}</Status>;
}

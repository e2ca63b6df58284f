import type { ReactNode } from 'react';
import type { Client } from '../api/answers';
import { Icon } from './icons';

/** A state in a word, with an icon and a colour. */
export function Status({
  kind,
  children,
}: {
  kind: 'good' | 'warning' | 'bad' | 'waiting' | 'off';
  children: string;
}): ReactNode {
  return (
    <span className={`status ${kind}`}>
      <Icon name={kind} />
      {children}
    </span>
  );
}

/** Whether a client has data of test systems or of people. */
export function Mode({ mode }: Pick<Client, 'mode'>): ReactNode {
  return <span className={`mode ${mode}`}>{mode === 'test' ? 'Test' : 'Live'}</span>;
}

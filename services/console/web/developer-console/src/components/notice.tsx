import type { ReactNode } from 'react';
import { ApiError } from '../api/request';
import { sentence } from '../text';
import { Icon } from './icons';

/** What is to be known before going on. */
export function Notice({ kind, children }: { kind?: 'warning' | 'bad' | 'good'; children: ReactNode }): ReactNode {
  return (
    <div className={`notice ${kind ?? ''}`} role={kind === 'bad' ? 'alert' : undefined}>
      {kind && <Icon name={kind} />}
      <div>{children}</div>
    </div>
  );
}

/** Why a request failed, what to do, and what the support asks for. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }): ReactNode {
  const known = error instanceof ApiError ? error : undefined;
  return (
    <Notice kind="bad">
      <p>{failureText(error)}</p>
      {retry && (
        <button type="button" className="small" onClick={retry}>
          Try again
        </button>
      )}
      {known && known.status >= 500 && known.requestId !== undefined && (
        <p className="muted">
          Request <code>{known.requestId}</code>
        </p>
      )}
    </Notice>
  );
}

function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return 'The page failed. Load it again.';
  if (error.code === 'role_not_allowed') return 'Your role in this organisation does not allow this. Ask an owner.';
  if (error.status === 429) return 'There were too many requests. Wait a few minutes and try again.';
  if (error.code === 'temporarily_unavailable') return sentence(error.message);
  if (error.status >= 500) return 'The server could not answer. Try again in a moment.';
  return sentence(error.message);
}

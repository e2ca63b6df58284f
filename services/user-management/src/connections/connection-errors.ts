import type { ConnectionError } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';

export function connectionNotFound(): HttpError {
  return new HttpError('connection_not_found', 'this user has no such connection');
}

export type LostGrantReason = 'refresh_refused' | 'no_refresh_token';

const lostGrantMessages: Record<LostGrantReason, string> = {
  refresh_refused: 'the health system no longer accepts this connection; the user must connect again',
  no_refresh_token:
    'the access has expired, and the health system issued no refresh token; the user must connect again',
};

export function reauthorizationRequired(reason: LostGrantReason): ConnectionError {
  return { code: 'needs_reauthorization', message: lostGrantMessages[reason] };
}

/** The response for a connection without a usable grant. @param error of the connection */
export function needsReauthorization(error: ConnectionError | null): HttpError {
  const { message } = error?.code === 'needs_reauthorization' ? error : reauthorizationRequired('refresh_refused');
  return new HttpError('needs_reauthorization', message);
}

/** The consent of the user has ended: only a new connect brings the connection back. */
export function consentEnded(): HttpError {
  return new HttpError('consent_ended', 'the consent of the user has ended; the user must connect again');
}

/** Another collection has begun, or the consent has ended: the worker should stop. */
export function staleCollection(): HttpError {
  return new HttpError('stale_collection', 'this collection is not the one in progress');
}

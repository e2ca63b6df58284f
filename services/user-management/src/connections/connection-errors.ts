import { HttpError } from '@tributary/service-kit';

export function connectionNotFound(): HttpError {
  return new HttpError(404, 'connection_not_found', 'this user has no such connection');
}

export function needsReauthorization(): HttpError {
  return new HttpError(
    409,
    'needs_reauthorization',
    'the health system no longer accepts this connection; the user must connect again',
  );
}

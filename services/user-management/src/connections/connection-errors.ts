import type { ConnectionError } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';

export function connectionNotFound(): HttpError {
  return new HttpError(404, 'connection_not_found', 'this user has no such connection');
}

/** The error of a connection whose grant the health system does not accept any more. */
export const reauthorizationRequired: ConnectionError = {
  code: 'needs_reauthorization',
  message: 'the health system no longer accepts this connection; the user must connect again',
};

export function needsReauthorization(): HttpError {
  return new HttpError(409, 'needs_reauthorization', reauthorizationRequired.message);
}

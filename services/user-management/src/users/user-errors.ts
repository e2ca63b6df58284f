import { HttpError } from '@tributary/service-kit';

/** The refusals of user management (contract, "User management"). */

export function userNotFound(): HttpError {
  return new HttpError(404, 'user_not_found', 'this client has no such user');
}

export function userAlreadyExists(): HttpError {
  return new HttpError(409, 'user_already_exists', 'this user already exists');
}

export function userInactive(): HttpError {
  return new HttpError(403, 'user_inactive', 'this user is not active');
}

import { HttpError } from '@tributary/service-kit';

export function userNotFound(): HttpError {
  return new HttpError('user_not_found', 'this client has no such user');
}

export function userAlreadyExists(): HttpError {
  return new HttpError('user_already_exists', 'this user already exists');
}

export function userInactive(): HttpError {
  return new HttpError('user_inactive', 'this user is not active');
}

/** The user was deactivated or deleted while an operation on the user was in progress. */
export class UserNoLongerActive extends HttpError {
  constructor() {
    super('user_not_found', 'the user is not active any more');
    this.name = 'UserNoLongerActive';
  }
}

/** The result of the work; undefined when it throws `UserNoLongerActive`. */
export async function unlessInactive<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserNoLongerActive) return undefined;
    throw error;
  }
}

import { InternalCallError, isErrorCode } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';

/**
 * The answer of another service to an internal call.
 * @throws HttpError as the service has refused the call
 */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof InternalCallError && error.status < 500 && isErrorCode(error.errorCode)) {
      const { retryAfterSeconds } = error;
      const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
      throw new HttpError(error.errorCode, error.reason ?? error.message, headers);
    }
    throw error;
  }
}

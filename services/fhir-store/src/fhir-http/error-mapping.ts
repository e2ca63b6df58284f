import { InternalCallError, issueTypeOfStatus } from '@tributary/contracts';
import { SearchError } from '@tributary/fhir-search';
import {
  ContentionError,
  IdNotAvailableError,
  InvalidCursorError,
  RecordDestroyedError,
  VersionConflictError,
} from '@tributary/record-storage';
import { HttpError, isDependencyUnavailable, isOutcomeUnknown } from '@tributary/service-kit';
import { FhirError, pageGone } from './fhir-error';

const retryAfter = { 'Retry-After': '2' };

/**
 * Maps an error to an error response. An unknown error becomes a 500 whose outcome contains no details, because
 * messages of libraries can contain clinical values. Temporary failures become a 503 with Retry-After in seconds (RFC
 * 9110, section 10.2.3), and a 502 when the request may have been carried out.
 * @param isSafe whether the request changes nothing, and can be repeated anyway
 */
export function asFhirError(error: unknown, isSafe: boolean): FhirError {
  if (error instanceof FhirError) return error;
  if (error instanceof SearchError) {
    const location = `http.${error.parameter}`;
    return new FhirError(400, [
      {
        severity: 'error',
        code: error.code === 'invalid' ? 'value' : error.code,
        diagnostics: `${error.parameter}: ${error.message}`,
        expression: location,
        location,
      },
    ]);
  }
  if (error instanceof VersionConflictError)
    return new FhirError(412, 'the resource is not at the expected version', 'conflict');
  if (error instanceof IdNotAvailableError)
    return new FhirError(
      409,
      'this id cannot be used for a new resource: choose a random UUID of version 4, or let the service assign one',
      'conflict',
    );
  if (error instanceof RecordDestroyedError) return new FhirError(410, 'the record is destroyed', 'deleted');
  if (error instanceof InvalidCursorError) return pageGone();
  if (error instanceof ContentionError)
    return new FhirError(503, 'too many writers change this resource at once; try again', 'transient', retryAfter);
  if (!isSafe && isOutcomeUnknown(error)) return outcomeUnknown();
  if (error instanceof InternalCallError || isDependencyUnavailable(error))
    return new FhirError(503, 'a part of the service is not available; try again shortly', 'transient', retryAfter);
  if (error instanceof HttpError)
    return new FhirError(error.status, error.message, issueTypeOfStatus(error.status), error.headers);
  if (error instanceof URIError) return new FhirError(400, 'the address is not properly encoded', 'invalid');
  return new FhirError(500, [{ severity: 'fatal', code: 'exception', diagnostics: 'an unexpected error occurred' }]);
}

function outcomeUnknown(): FhirError {
  return new FhirError(502, [
    {
      severity: 'error',
      code: 'transient',
      diagnostics: 'a part of the service failed; it is not known whether the request was carried out',
    },
    {
      severity: 'information',
      code: 'informational',
      diagnostics: 'A create with If-None-Exist can be repeated without creating a second resource.',
    },
  ]);
}

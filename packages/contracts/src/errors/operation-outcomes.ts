import { messageOf } from './catalogue';

/**
 * The error responses of the FHIR API and of bulk export by HTTP status. `code` is the issue type of the
 * OperationOutcome (https://hl7.org/fhir/R4/valueset-issue-type.html) where no rule of FHIR gives a more exact one,
 * such as `structure`, `required`, `value` or `invariant`. `infra/docs/errors.md` is generated from this.
 */
export const operationOutcomes = {
  400: {
    code: 'invalid',
    cause: 'The request is not FHIR: malformed JSON, another resource type than in the address, a bad parameter.',
    remedy: 'Correct what `diagnostics` and `expression` name.',
  },
  401: {
    code: 'login',
    cause: 'The access token is missing or not valid.',
    remedy: 'Send `Authorization: Bearer <ACCESS_TOKEN>`; refresh the token once.',
  },
  403: {
    code: 'forbidden',
    cause: 'The scope of the token does not cover the request.',
    remedy: 'Request a token with more scopes.',
  },
  404: {
    code: 'not-found',
    cause: 'The record has no such resource, version or file, or the address does not exist.',
    remedy: 'Check type, id and release.',
  },
  405: {
    code: 'not-supported',
    cause: 'The address does not support the method.',
    remedy: 'Use a method of the header `Allow`.',
  },
  406: {
    code: 'not-supported',
    cause: 'The header Accept allows no media type that the resource has.',
    remedy: 'Accept application/fhir+json.',
  },
  409: {
    code: 'conflict',
    cause: 'The id cannot be used for a new resource, or a transaction contradicts itself.',
    remedy: 'Let the service assign the id.',
  },
  410: {
    code: 'deleted',
    cause: 'The resource was deleted, the paging link is of another version, or the file has expired.',
    remedy: 'Read the history of the resource; begin with the first page; export again.',
  },
  412: {
    code: 'conflict',
    cause: 'The resource is not at the version of If-Match, or the criteria match several resources.',
    remedy: 'Read the resource again and repeat the change.',
  },
  413: {
    code: 'too-long',
    cause:
      'The body exceeds 20 MB (content of a Binary in its own media type: 15 MB, with an object storage 200 MB; bulk export: 5 MB), the body has more than 1,000,000 elements or a resource more than 100,000, or the export is too large for a synchronous response.',
    remedy: 'Send less, or send `Prefer: respond-async`.',
  },
  415: {
    code: 'not-supported',
    cause: 'The Content-Type of the body is not supported.',
    remedy: 'Send application/fhir+json, or the media type that `diagnostics` names.',
  },
  422: {
    code: 'processing',
    cause: 'The resource violates its definition: a missing element, a wrong type or an unknown required code.',
    remedy: 'Correct the elements of `expression` (dstu2: `location`). There is one issue for each.',
  },
  429: {
    code: 'throttled',
    cause: 'A rate limit is used up, or the caller has too many unfinished asynchronous exports.',
    remedy: 'Wait for `Retry-After` seconds.',
  },
  500: {
    code: 'exception',
    cause: 'An unexpected error of this service.',
    remedy: 'Report it with the value of `X-Request-Id`.',
  },
  502: {
    code: 'transient',
    cause: 'A part of the service failed while it carried the request out. Its outcome is unknown.',
    remedy: 'Read before you repeat it, or repeat it with If-None-Exist or If-Match.',
  },
  503: {
    code: 'transient',
    cause: 'A part of the service is not available, or too many writers change one resource. Nothing was carried out.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
  },
  504: {
    code: 'timeout',
    cause: 'A part of the service did not respond in time. The outcome is unknown.',
    remedy: 'Read before you repeat it, or repeat it with If-None-Exist or If-Match.',
  },
} as const satisfies Record<number, { code: string; cause: string; remedy: string }>;

/** An example of the body of an error response of the FHIR API. */
export function exampleOutcome(status: keyof typeof operationOutcomes): object {
  const { code, cause } = operationOutcomes[status];
  const severity = status === 500 ? 'fatal' : 'error';
  return { resourceType: 'OperationOutcome', issue: [{ severity, code, diagnostics: messageOf(cause) }] };
}

/** The issue type of an error with this status. */
export function issueTypeOfStatus(status: number): string {
  const outcomes: Record<number, { code: string } | undefined> = operationOutcomes;
  return outcomes[status]?.code ?? (status < 500 ? 'invalid' : 'exception');
}

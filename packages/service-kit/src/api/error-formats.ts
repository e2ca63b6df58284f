import type { Response } from 'express';
import type { HttpError } from './http-error';

/** Renders errors in the format of an API. */
export type ErrorFormat = (error: HttpError, response: Response) => void;

/** `{"success": false, "error", "error_code"}`: user management, search and connect. */
export const serviceErrorFormat: ErrorFormat = (error, response) => {
  response.status(error.status).json({ success: false, error: error.message, error_code: error.errorCode });
};

/** `{"error", "error_description"}`: OAuth 2.0 endpoints (RFC 6749, section 5.2). */
export const oauthErrorFormat: ErrorFormat = (error, response) => {
  response.status(error.status).json({ error: error.errorCode, error_description: error.message });
};

/** Issue types (https://hl7.org/fhir/R4/valueset-issue-type.html) by HTTP status. */
const issueCodes: Record<number, string> = {
  400: 'invalid',
  401: 'login',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-supported',
  406: 'not-supported',
  409: 'conflict',
  410: 'deleted',
  412: 'conflict',
  413: 'too-long',
  415: 'not-supported',
  422: 'processing',
  429: 'throttled',
  503: 'transient',
};

/** An OperationOutcome (https://hl7.org/fhir/R4/operationoutcome.html): bulk export endpoints. */
export const operationOutcomeFormat: ErrorFormat = (error, response) => {
  const code = issueCodes[error.status] ?? (error.status < 500 ? 'invalid' : 'exception');
  response
    .status(error.status)
    .type('application/fhir+json')
    .send(
      JSON.stringify({
        resourceType: 'OperationOutcome',
        issue: [{ severity: error.status < 500 ? 'error' : 'fatal', code, diagnostics: error.message }],
      }),
    );
};

import type { Response } from 'express';
import type { HttpError } from './http-error';

/** How an API writes its errors (contract, "Everywhere"). */
export type ErrorFormat = (error: HttpError, response: Response) => void;

/** User management, search and connect. */
export const serviceErrorFormat: ErrorFormat = (error, response) => {
  response.status(error.status).json({ success: false, error: error.message, error_code: error.errorCode });
};

/** The token endpoint: RFC 6749, section 5.2. */
export const oauthErrorFormat: ErrorFormat = (error, response) => {
  response.status(error.status).json({ error: error.errorCode, error_description: error.message });
};

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

/** FHIR and bulk paths. */
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

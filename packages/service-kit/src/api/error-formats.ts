import { issueTypeOfStatus } from '@tributary/contracts';
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

/** An OperationOutcome (https://hl7.org/fhir/R4/operationoutcome.html): bulk export endpoints. */
export const operationOutcomeFormat: ErrorFormat = (error, response) => {
  response
    .status(error.status)
    .type('application/fhir+json')
    .send(
      JSON.stringify({
        resourceType: 'OperationOutcome',
        issue: [
          {
            severity: error.status < 500 ? 'error' : 'fatal',
            code: issueTypeOfStatus(error.status),
            diagnostics: error.message,
          },
        ],
      }),
    );
};

import { issueTypeOfStatus, statusOfError } from '@tributary/contracts';
import type { Response } from 'express';
import type { HttpError } from './http-error';

/** Renders errors in the format of an API. */
export type ErrorFormat = (error: HttpError, response: Response) => void;

type ErrorContent = Pick<HttpError, 'errorCode' | 'message'>;

/** `{"success": false, "error", "error_code"}`: user management, search and connect. */
export function serviceErrorBody({ errorCode, message }: ErrorContent): object {
  return { success: false, error: message, error_code: errorCode };
}

export const serviceErrorFormat: ErrorFormat = (error, response) => {
  response.status(error.status).json(serviceErrorBody(error));
};

/** `{"error", "error_description"}`: OAuth 2.0 endpoints (RFC 6749, section 5.2). */
export function oauthErrorBody({ errorCode, message }: ErrorContent): object {
  return { error: errorCode, error_description: message };
}

export const oauthErrorFormat: ErrorFormat = (error, response) => {
  response.status(error.status).json(oauthErrorBody(error));
};

/** An OperationOutcome (https://hl7.org/fhir/R4/operationoutcome.html): bulk export endpoints. */
export function operationOutcomeBody({ errorCode, message }: ErrorContent): object {
  const status = statusOfError(errorCode);
  const severity = status < 500 ? 'error' : 'fatal';
  return {
    resourceType: 'OperationOutcome',
    issue: [{ severity, code: issueTypeOfStatus(status), diagnostics: message }],
  };
}

export const operationOutcomeFormat: ErrorFormat = (error, response) => {
  response
    .status(error.status)
    .type('application/fhir+json')
    .send(JSON.stringify(operationOutcomeBody(error)));
};

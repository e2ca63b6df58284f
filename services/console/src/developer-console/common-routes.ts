import type { AuditEntity } from '@tributary/audit-log';
import { done } from '@tributary/contracts';
import { HttpError, type RouteResponse } from '@tributary/service-kit';
import type { ErrorCode } from '@tributary/contracts';

/** The path of a route of the console's API. */
export function apiPath(path: string): string {
  return `/console/api/v1/${path}`;
}

export const jsonBody = ['application/json'] as const;

export const succeeded = { success: true } as const;

export const successResponse: RouteResponse = { description: 'It is done.', schema: done };

/** A refusal for one or several reasons of one status. */
export function refusal(description: string, ...codes: [ErrorCode, ...ErrorCode[]]): RouteResponse {
  return { description, codes };
}

export const foreignOrigin = refusal('The request comes from a page of another origin.', 'invalid_origin');

export function notFound(what: string): HttpError {
  return new HttpError('not_found', `there is no such ${what}`);
}

export function accountEntity(id: string): AuditEntity {
  return { type: 'Account', id };
}

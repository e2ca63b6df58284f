import { fhirJsonMediaTypes } from '@tributary/contracts';
import { HttpError, badRequest, maxBodyBytes, refuseDeclaredLength } from '@tributary/service-kit';
import express, { type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import { type ParameterPairs, supportedParameters } from './export-request';

/** A FHIR Parameters resource, as far as an export takes it. */
export const parametersBody = z
  .object({
    resourceType: z.literal('Parameters'),
    parameter: z
      .array(
        z.looseObject({
          name: z.string(),
          valueString: z.string().optional(),
          valueCode: z.string().optional(),
          valueUri: z.string().optional(),
          valueInstant: z.string().optional(),
          valueDateTime: z.string().optional(),
          valueDate: z.string().optional(),
          valueReference: z.looseObject({ reference: z.string().optional() }).optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Parameters' });

const fhirJson: string[] = [...fhirJsonMediaTypes];

/** Parses what a kick-off by POST may send: FHIR JSON, or nothing. */
export const parametersParsers: RequestHandler[] = [
  refuseDeclaredLength,
  express.json({ limit: maxBodyBytes, type: fhirJson }),
  (request, _response, next) => {
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
    if (hasBody && !request.is(fhirJson))
      throw new HttpError(
        'unsupported_media_type',
        'send the parameters as a FHIR Parameters resource in application/fhir+json',
      );
    next();
  },
];

/**
 * The parameters in the body of a kick-off by POST. One that exports do not know may have a value of any type, or
 * parts: it counts by its name alone.
 */
export function bodyPairs(request: Request): ParameterPairs {
  const body: unknown = request.body;
  if (body === undefined) return [];
  if (!isParameters(body))
    throw badRequest(
      'a JSON body must be a FHIR Parameters resource, such as {"resourceType":"Parameters","parameter":[{"name":"patient","valueReference":{"reference":"Patient/123"}}]}',
    );
  const parsed = parametersBody.safeParse(body);
  if (!parsed.success)
    throw badRequest(
      'the body must be a FHIR Parameters resource with values of type string, code, uri, instant, dateTime, date or Reference',
    );
  return (parsed.data.parameter ?? []).map((parameter) => {
    const { valueString, valueCode, valueUri, valueInstant, valueDateTime, valueDate, valueReference } = parameter;
    const value =
      valueString ?? valueCode ?? valueUri ?? valueInstant ?? valueDateTime ?? valueDate ?? valueReference?.reference;
    if (value === undefined && supportedParameters.has(parameter.name))
      throw badRequest(
        'the body: each parameter must have a value of type string, code, uri, instant, dateTime, date or Reference',
      );
    return [parameter.name, value ?? ''] as const;
  });
}

function isParameters(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'resourceType' in body && body.resourceType === 'Parameters';
}

/** The parameters in the address. */
export function queryPairs({ originalUrl }: Request): ParameterPairs {
  const start = originalUrl.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(originalUrl.slice(start + 1))];
}

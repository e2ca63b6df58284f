import { z } from 'zod';

/** The error body of FHIR and bulk export (https://hl7.org/fhir/R4/operationoutcome.html). */
export const operationOutcome = z
  .looseObject({
    resourceType: z.literal('OperationOutcome'),
    issue: z
      .array(
        z.looseObject({
          severity: z.enum(['fatal', 'error', 'warning', 'information']).meta({ examples: ['error'] }),
          code: z
            .string()
            .describe('An issue type of FHIR: https://hl7.org/fhir/R4/valueset-issue-type.html')
            .meta({ examples: ['invalid'] }),
          diagnostics: z
            .string()
            .optional()
            .describe('A message for developers. It contains no clinical value.')
            .meta({ examples: ['what is wrong'] }),
          expression: z.array(z.string()).optional().describe('The elements that the issue is about, as FHIRPath.'),
          location: z.array(z.string()).optional().describe('The same, in DSTU2.'),
        }),
      )
      .min(1),
  })
  .meta({ id: 'OperationOutcome' });

/** The error body of user management, search and connect. */
export const serviceError = z
  .object({
    success: z.literal(false),
    error: z
      .string()
      .describe('A message that names the problem and never quotes a value of the request.')
      .meta({ examples: ['what is wrong'] }),
    error_code: z
      .string()
      .describe('A code of the error catalogue, in snake_case.')
      .meta({ examples: ['invalid_request'] }),
  })
  .meta({ id: 'ServiceError' });

import type { Request } from 'express';
import type { ZodType, z } from 'zod';
import { badRequest } from './http-error';

interface InputSchemas {
  params?: ZodType | undefined;
  query?: ZodType | undefined;
  headers?: ZodType | undefined;
  body?: ZodType | undefined;
}

/** Express parses a repeated parameter as an array, so the schema of a single-valued parameter refuses it. */
const sources = {
  params: (request: Request): unknown => request.params,
  query: (request: Request): unknown => request.query,
  headers: (request: Request): unknown => request.headers,
  body: (request: Request): unknown => request.body ?? {},
} as const;

/**
 * Validates all inputs of a request.
 * @throws HttpError 400 that names every invalid field without quoting its value
 */
export function readInput(request: Request, schemas: InputSchemas): Record<keyof InputSchemas, unknown> {
  const read: Record<keyof InputSchemas, unknown> = {
    params: undefined,
    query: undefined,
    headers: undefined,
    body: undefined,
  };
  const problems: string[] = [];
  for (const part of ['params', 'query', 'headers', 'body'] as const) {
    const schema = schemas[part];
    if (!schema) continue;
    const parsed = schema.safeParse(sources[part](request));
    if (parsed.success) read[part] = parsed.data;
    else problems.push(...parsed.error.issues.map(describeIssue));
  }
  if (problems.length > 0) throw badRequest(problems.join('; '));
  return read;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join('.') || 'the body';
  const missing =
    issue.code === 'invalid_type' && issue.input === undefined && /received undefined/.test(issue.message);
  return missing ? `${field} is missing` : `${field}: ${issue.message}`;
}

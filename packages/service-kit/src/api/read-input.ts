import type { Request } from 'express';
import { type ZodType, z } from 'zod';
import { describeIssue } from './describe-issue';
import { badRequest } from './http-error';
import type { AnyRoute } from './route';

/** The levels of objects and arrays that a body may have, as in FHIR JSON. */
const maxDepth = 128;

type Part = 'params' | 'query' | 'headers' | 'body';

/** Express parses a repeated parameter as an array, so the schema of a single-valued parameter refuses it. */
const sources = {
  params: (request: Request): unknown => request.params,
  query: (request: Request): unknown => request.query,
  headers: (request: Request): unknown => request.headers,
  body: (request: Request): unknown => request.body ?? {},
} as const;

/**
 * Validates all inputs of a request. Unknown parameters of query and body are refused, except by a schema that is loose
 * and by a public document, which takes no input at all. A parameter has one place, unless both schemas have it: in the
 * query it would be kept in logs and histories of addresses.
 * @param unknownParameters `ignored` where a standard requires it, such as RFC 6749 and FHIR
 * @throws HttpError 400 that names every invalid field without quoting its value
 */
export function readInput(
  request: Request,
  route: Pick<AnyRoute, Part | 'authentication'>,
  unknownParameters: 'refused' | 'ignored' = 'refused',
): Record<Part, unknown> {
  if (route.authentication.scheme !== 'service' && isDeeperThan(sources.body(request), maxDepth))
    throw badRequest(`the body is nested too deeply: objects and arrays may have ${maxDepth} levels`);
  const read: Record<Part, unknown> = { params: undefined, query: undefined, headers: undefined, body: undefined };
  const problems: string[] = [];
  for (const part of ['params', 'query', 'headers', 'body'] as const) {
    const schema = route[part];
    const source = sources[part](request);
    if ((part === 'query' || part === 'body') && unknownParameters === 'refused' && !ignoresUnknown(route, schema))
      problems.push(
        ...unknownNames(schema, source).map((name) => misplaced(route, part, name) ?? unknownParameter(name)),
      );
    if (!schema) continue;
    const parsed = schema.safeParse(source, { error: describeIssue, reportInput: true });
    if (parsed.success) read[part] = parsed.data;
    else
      problems.push(
        ...firstOfEachField(parsed.error.issues).flatMap((issue) =>
          isGivenElsewhere(issue, part, request)
            ? [belongsIn(issue.path.map(String).join('.'), part)]
            : problemsOf(issue, isOfFields(part, request)),
        ),
      );
  }
  if (problems.length > 0) throw badRequest([...new Set(problems)].join('; '));
  return read;
}

/** Whether objects and arrays of a JSON value have more levels. It stops at the first that has. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/**
 * An older instance of a service must understand the calls of a newer one, so internal APIs ignore what they do not
 * know.
 */
export function ignoresUnknown(
  { authentication }: Pick<AnyRoute, 'authentication'>,
  schema: ZodType | undefined,
): boolean {
  return authentication.scheme === 'service' || (authentication.scheme === 'none' && schema === undefined);
}

/** The names that an object schema does not define. Other schemas check their input themselves. */
function unknownNames(schema: ZodType | undefined, source: unknown): string[] {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return [];
  if (schema !== undefined && !(schema instanceof z.ZodObject && schema.def.catchall === undefined)) return [];
  const known: object = schema instanceof z.ZodObject ? schema.shape : {};
  return Object.keys(source).flatMap((name) => (Object.hasOwn(known, name) ? [] : [name]));
}

/** The problem of a parameter that the route takes in another part of the request; undefined when it takes none. */
function misplaced(route: Pick<AnyRoute, Part | 'authentication'>, part: Part, name: string): string | undefined {
  if (route.authentication.scheme === 'client' && clientHeaders.has(name)) return belongsIn(name, 'headers');
  const own = (['params', 'query', 'headers', 'body'] as const).find((each) => {
    const schema = route[each];
    return each !== part && schema instanceof z.ZodObject && Object.hasOwn(schema.shape as object, name);
  });
  return own && belongsIn(name, own);
}

/** Whether a missing parameter of the query or the body is in the other one. */
function isGivenElsewhere({ code, path, input }: z.core.$ZodIssue, part: Part, request: Request): boolean {
  const [name, ...deeper] = path;
  if (code === 'custom' || input !== undefined || typeof name !== 'string' || deeper.length > 0) return false;
  if (part !== 'query' && part !== 'body') return false;
  const other = sources[part === 'query' ? 'body' : 'query'](request);
  return typeof other === 'object' && other !== null && Object.hasOwn(other, name);
}

const clientHeaders: ReadonlySet<string> = new Set(['client_id', 'client_secret']);
const places: Record<Part, string> = {
  params: 'the path',
  query: 'the query',
  headers: 'the headers',
  body: 'the body',
};

function belongsIn(name: string, part: Part): string {
  return `${name} belongs in ${places[part]}`;
}

function unknownParameter(name: string): string {
  return /^[\w.:-]{1,64}$/.test(name) ? `${name} is an unknown parameter` : 'a parameter is unknown';
}

/** Whether the input is a query or a form, whose fields are texts and can be repeated. */
function isOfFields(part: Part, request: Request): boolean {
  return part === 'query' || (part === 'body' && request.is('application/x-www-form-urlencoded') !== false);
}

/** A value of the wrong type violates other rules as well, which say nothing more. */
function firstOfEachField(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const byField = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) if (!byField.has(issue.path.join('.'))) byField.set(issue.path.join('.'), issue);
  return [...byField.values()];
}

function problemsOf(issue: z.core.$ZodIssue, isField: boolean): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map(unknownParameter);
  const field = issue.path.map(String).join('.');
  if (field === '') return [`the body ${issue.message}`];
  if (isField && Array.isArray(issue.input)) return [`${field} is given twice`];
  return [/^is (?:missing|given)/.test(issue.message) ? `${field} ${issue.message}` : `${field}: ${issue.message}`];
}

import { isErrorCode, operationOutcome, serviceError } from '@tributary/contracts';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { z } from 'zod';
import type { Ready } from './ready';

interface Operation {
  responses: Record<
    string,
    {
      $ref?: string;
      headers?: Record<string, unknown>;
      content?: Record<string, { schema?: object; examples?: Record<string, unknown> }>;
    }
  >;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** A response, as far as it is documented. */
export interface Answer {
  method: string;
  url: string;
  status: number;
  headers: Headers;
  hasBody: boolean;
  /** The body, when it is JSON and was received as a whole. */
  text?: string;
}

const errorCode = z.string().refine(isErrorCode);
const serviceErrorFormat = serviceError.extend({ error_code: errorCode }).strict();
const oauthErrorFormat = z.strictObject({ error: errorCode, error_description: z.string() });

/** Headers of HTTP, of browsers' security and of CORS, which the documents leave out. */
const undocumentedHeaders =
  /^(accept-ranges|access-control-.*|age|allow|cache-control|connection|content-(encoding|language|length|security-policy|type)|cross-origin-.*|date|keep-alive|link|origin-agent-cluster|pragma|referrer-policy|server|strict-transport-security|transfer-encoding|vary|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/;
/**
 * Pages, the documents themselves, what the console passes on of other APIs, and addresses that other specifications
 * describe (MCP, RFC 8414, SMART).
 */
const undocumentedPaths =
  /(^|\/)(console(\/(?!api\/).*)?|console\/api\/v1\/clients\/.*|docs(\/.*)?|connect(\/(pages|assets)(\/.*)?)?|openapi\.json|healthz|demo(\/.*)?|sandbox(\/.*)?|mcp|\.well-known\/.*|llms\.txt)$/;

/**
 * Compares responses with the OpenAPI documents that the suite serves: status, media type, body and headers must be
 * documented. Every response has `X-Request-Id`.
 */
export class DocumentedAnswers {
  readonly #documents = new Map<string, Promise<Document>>();
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(
    private readonly ready: Ready,
    private readonly fetchDocument: typeof fetch,
  ) {}

  /** Whether the documents describe the responses to this request. */
  concerns(method: string, url: string): boolean {
    const address = this.#addressOf(url);
    return address !== undefined && method !== 'OPTIONS' && !undocumentedPaths.test(address.path);
  }

  /** What is not documented about a response, as sentences; empty when everything is. */
  async problems(answer: Answer): Promise<string[]> {
    const address = this.#addressOf(answer.url);
    if (!address) return [];
    const document = await this.#document(address.base);
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
    const templates = matchingTemplates(Object.keys(document.paths), address.path);
    // The paths of a Binary have those of its methods that differ from the methods of every type.
    const template = templates.find((each) => document.paths[each]?.[method]) ?? templates[0];
    const operation = template === undefined ? undefined : document.paths[template]?.[method];
    const problems = answer.headers.has('x-request-id') ? [] : ['no header x-request-id'];
    if (template === undefined || operation === undefined)
      problems.push(...this.#problemsOfUndocumented(address.base, template === undefined ? 'path' : 'method', answer));
    else problems.push(...this.#problemsOf(document, { base: address.base, template, method, operation }, answer));
    return problems.map(
      (problem) =>
        `${answer.method} ${new URL(answer.url).origin}${template ?? address.path} ${answer.status}: ${problem}`,
    );
  }

  /** An address without documentation gives an error in the format of its API, and nothing else. */
  #problemsOfUndocumented(
    base: string,
    what: 'path' | 'method',
    { status, headers, hasBody, text, method, url }: Answer,
  ): string[] {
    if (![...(what === 'path' ? [400] : []), 401, 404, 405, 406].includes(status)) return [`undocumented ${what}`];
    const type = headers.get('content-type') ?? '';
    // The routes for browsers also respond with pages.
    const isPage = new URL(url).pathname.startsWith('/connect/') && type.startsWith('text/html');
    const isUnread = text === undefined && /[/+]json\b/.test(type);
    if (method === 'HEAD' || !hasBody || isPage || isUnread) return [];
    const { base_url, search_url, auth_url } = this.ready;
    const format = [base_url, search_url, `${base_url}/console`].includes(base)
      ? serviceErrorFormat
      : base === auth_url
        ? oauthErrorFormat
        : operationOutcome;
    return format.safeParse(jsonOf(text)).success ? [] : ['the body is no error of this API'];
  }

  #problemsOf(
    document: Document,
    { base, template, method, operation }: { base: string; template: string; method: string; operation: Operation },
    { status, headers, hasBody, text, method: sent }: Answer,
  ): string[] {
    const key = [String(status), `${Math.floor(status / 100)}XX`].find((each) => each in operation.responses);
    if (key === undefined) return ['undocumented status'];
    const given = operation.responses[key];
    const name = given?.$ref?.split('/').at(-1);
    const response = name === undefined ? given : (document.components['responses']?.[name] as typeof given);
    const pointer =
      name === undefined
        ? `#/paths/${template.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}/responses/${key}`
        : `#/components/responses/${name}`;
    const documented = new Set(Object.keys(response?.headers ?? {}).map((header) => header.toLowerCase()));
    const problems = [...headers.keys()]
      .filter((header) => !documented.has(header) && !undocumentedHeaders.test(header))
      .map((header) => `undocumented header ${header}`);
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    if (sent === 'HEAD' || !hasBody || type === '') return problems;
    const range = [type, '*/*'].find((each) => response?.content?.[each]);
    if (range === undefined) return [...problems, `undocumented media type ${type}`];
    if (text === undefined || text === '' || range !== type) return problems;
    const validate = this.#validator(base, document, `${pointer}/content/${type.replaceAll('/', '~1')}/schema`);
    const body = JSON.parse(text) as { error?: unknown; error_code?: unknown };
    if (!validate(body)) return [...problems, `the body: ${this.#ajv.errorsText(validate.errors)}`];
    // Errors have one example for each code of the catalogue; OperationOutcomes do not show the code.
    const code = status < 400 ? undefined : (body.error_code ?? body.error);
    const isKnown = code === undefined || Object.hasOwn(response?.content?.[type]?.examples ?? {}, String(code));
    return isKnown ? problems : [...problems, `undocumented error code ${String(code)}`];
  }

  #validator(base: string, document: Document, pointer: string): ValidateFunction {
    const id = new URL(base).href;
    if (!this.#ajv.getSchema(id)) this.#ajv.addSchema(document, id);
    const known = this.#validators.get(id + pointer) ?? this.#ajv.compile({ $ref: id + encodeURI(pointer) });
    this.#validators.set(id + pointer, known);
    return known;
  }

  #addressOf(url: string): { base: string; path: string } | undefined {
    const { origin, pathname } = new URL(url);
    const { base_url, auth_url, search_url, analytics_url } = this.ready;
    const root = [base_url, auth_url, search_url, analytics_url].find((base) => new URL(base).origin === origin);
    if (root === undefined) return undefined;
    const path = pathname.replaceAll('%24', '$').replace(/(?<=.)\/$/, '');
    if (path === '/') return undefined;
    const isFhir = root === base_url && /^\/(dstu2|stu3|r4)(\/|$)/.test(path);
    const isAudit = root === base_url && path.startsWith('/audit/');
    const isConsole = root === base_url && path.startsWith('/console/');
    const service = isFhir ? '/fhir-store' : isAudit ? '/audit' : isConsole ? '/console' : '';
    return { base: root + service, path };
  }

  #document(base: string): Promise<Document> {
    const known = this.#documents.get(base) ?? this.#load(base);
    this.#documents.set(base, known);
    return known;
  }

  async #load(base: string): Promise<Document> {
    const document = (await (await this.fetchDocument(`${base}/openapi.json`)).json()) as Document;
    return closed(document) as Document;
  }
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Refuses members without a schema, in every object schema that does not say that it is open, as those of FHIR do. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isObjectSchema = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return isObjectSchema && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

/** The templates that match a path, those with the fewest parameters first, as OpenAPI specifies. */
function matchingTemplates(templates: readonly string[], path: string): string[] {
  const parameters = (template: string): number => template.split('{').length;
  return templates
    .filter((template) => patternOf(template).test(path))
    .toSorted((one, other) => parameters(one) - parameters(other));
}

function patternOf(template: string): RegExp {
  const escaped = template.replaceAll(/[.$*+?()[\]|^\\]/g, String.raw`\$&`);
  // What begins like an operation or an interaction is no id.
  return new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, '(?!\\$|_(?:search|history)(?:/|$))[^/]+')}$`);
}

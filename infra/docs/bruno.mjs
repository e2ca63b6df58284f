// Writes a Bruno collection (https://www.usebruno.com) of all APIs into a folder: node infra/docs/bruno.mjs [folder]
// It reads the OpenAPI documents of a running suite, at BASE_URL, AUTH_URL, SEARCH_URL and ANALYTICS_URL.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? 'tributary-bruno';
const addresses = {
  base_url: process.env.BASE_URL ?? 'http://localhost:4000',
  auth_url: process.env.AUTH_URL ?? 'http://localhost:4001',
  search_url: process.env.SEARCH_URL ?? 'http://localhost:4002',
  analytics_url: process.env.ANALYTICS_URL ?? 'http://localhost:4003',
};
const documents = [
  { group: 'Tokens', variable: 'auth_url', path: '' },
  { group: 'Users and connections', variable: 'base_url', path: '' },
  { group: 'Health systems', variable: 'search_url', path: '' },
  { group: 'FHIR', variable: 'base_url', path: '/fhir-store' },
  { group: 'Audit events', variable: 'base_url', path: '/audit' },
  { group: 'Bulk export', variable: 'analytics_url', path: '' },
];

/** What a response gives to the variables of later requests. */
const results = {
  createUser: { code: 'res.body.code', service_user_id: 'res.body.service_user_id' },
  newAuthorizationCode: { code: 'res.body.code' },
  exchangeForTokens: { access_token: 'res.body.access_token', refresh_token: 'res.body.refresh_token' },
};

/** The same for every operation whose name begins so. */
const resultsOfAll = { create: { resource_id: 'res.body.id' } };

/** Fields whose values other requests or the environment give. */
const variables = ['client_id', 'client_secret', 'code', 'refresh_token', 'service_user_id'];

/** Values that differ with each request. */
const generated = { app_user_id: '{{$guid}}' };

let requests = 0;
mkdirSync(folder, { recursive: true });
for (const { group, variable, path } of documents) {
  const document = await read(`${addresses[variable]}${path}/openapi.json`);
  const target = join(folder, group);
  mkdirSync(target, { recursive: true });
  let sequence = 0;
  for (const [route, item] of Object.entries(document.paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      if (!item[method]) continue;
      const operation = {
        ...item[method],
        parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])],
      };
      const { operationId, summary } = operation;
      const server = new URL(document.servers[0].url, `${addresses[variable]}/`).pathname.replace(/\/$/, '');
      const text = requestOf({
        document,
        route: `${server}${route}`,
        method,
        operation,
        variable,
        sequence: ++sequence,
      });
      const name = `${summary ?? operationId} (${operationId})`.replaceAll(/[^\w ,()$-]/g, '');
      writeFileSync(join(target, `${name}.bru`), text);
      requests++;
    }
  }
}
writeFileSync(
  join(folder, 'bruno.json'),
  `${JSON.stringify({ version: '1', name: 'Tributary', type: 'collection', ignore: [] }, null, 2)}\n`,
);
mkdirSync(join(folder, 'environments'), { recursive: true });
writeFileSync(
  join(folder, 'environments', 'Local.bru'),
  [
    block(
      'vars',
      Object.entries({ ...addresses, client_id: '' }).map(([name, value]) => `${name}: ${value}`),
    ),
    'vars:secret [\n  client_secret\n]\n',
  ].join('\n'),
);
process.stdout.write(`${requests} requests in ${folder}\n`);

async function read(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.json();
}

/** The text of a request (https://docs.usebruno.com/bru-lang/overview). */
function requestOf({ document, route, method, operation, variable, sequence }) {
  const parameters = operation.parameters.map((parameter) => resolve(document, parameter));
  const of = (location) => parameters.filter((parameter) => parameter.in === location);
  const { headers, auth } = credentialsOf(document, operation);
  const { kind, lines, type } = bodyOf(document, operation);
  const [, common] = Object.entries(resultsOfAll).find(([begin]) => operation.operationId.startsWith(begin)) ?? [];
  const isFhir = document.paths['/{release}/metadata'] !== undefined;
  const saved = Object.entries(results[operation.operationId] ?? (isFhir ? common : undefined) ?? {});
  const query = of('query').filter(({ name }) => !['client_id', 'client_secret', 'criteria'].includes(name));
  const headerLines = [
    ...headers,
    ...(type ? [`Content-Type: ${type}`] : []),
    ...of('header').map((parameter) => pair(document, parameter)),
  ];
  return [
    block('meta', [`name: ${operation.summary ?? operation.operationId}`, 'type: http', `seq: ${sequence}`]),
    block(method, [
      `url: {{${variable}}}${route.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      `body: ${kind ?? 'none'}`,
      `auth: ${auth ? 'bearer' : 'none'}`,
    ]),
    query.length > 0 &&
      block(
        'params:query',
        query.map((parameter) => pair(document, parameter)),
      ),
    of('path').length > 0 &&
      block(
        'params:path',
        of('path').map((parameter) =>
          pair(document, {
            ...parameter,
            required: true,
            ...(isFhir && parameter.name === 'id' ? { example: '{{resource_id}}' } : {}),
          }),
        ),
      ),
    headerLines.length > 0 && block('headers', headerLines),
    auth && block('auth:bearer', ['token: {{access_token}}']),
    kind && block(`body:${kind === 'formUrlEncoded' ? 'form-urlencoded' : kind}`, lines),
    saved.length > 0 &&
      block(
        'vars:post-response',
        saved.map(([name, expression]) => `${name}: ${expression}`),
      ),
    operation.description && block('docs', operation.description.split('\n')),
  ]
    .filter(Boolean)
    .join('\n');
}

/** A parameter; an optional one is disabled. */
function pair(document, { name, required, example, examples, schema }) {
  const value = example ?? firstOf(document, examples) ?? exampleOf(document, schema);
  return `${required ? '' : '~'}${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`;
}

function credentialsOf(document, { security = document.security ?? [] }) {
  const schemes = document.components?.securitySchemes ?? {};
  const kinds = security.map((requirement) => Object.keys(requirement).map((name) => schemes[name] ?? {}));
  if (kinds.some((kind) => kind.some(({ scheme }) => scheme === 'bearer'))) return { headers: [], auth: true };
  const inHeaders = kinds.find((kind) => kind.some((scheme) => scheme.type === 'apiKey' && scheme.in === 'header'));
  return { headers: (inHeaders ?? []).map(({ name }) => `${name}: {{${name}}}`), auth: false };
}

/** The first form or JSON body, with the example of the document, or with one of its schema. */
function bodyOf(document, { requestBody }) {
  const content = resolve(document, requestBody ?? {}).content ?? {};
  const types = Object.keys(content);
  const type = types.find((name) => name.includes('form-urlencoded')) ?? types.find((name) => /json/.test(name));
  if (!type) return {};
  const { example, examples, schema } = content[type];
  const stated = example ?? firstOf(document, examples);
  if (!type.includes('form')) {
    const value = stated ?? exampleOf(document, schema) ?? {};
    return { kind: 'json', type, lines: JSON.stringify(value, null, 2).split('\n') };
  }
  return { kind: 'formUrlEncoded', lines: formOf(document, schema, stated) };
}

/** The lines of a form: the fields of its example, or of its schema, of which the optional ones are disabled. */
function formOf(document, schema, stated) {
  const whole = resolve(document, schema ?? {});
  const { properties = {}, required = [] } = whole.properties
    ? whole
    : resolve(document, whole.oneOf?.[0] ?? whole.anyOf?.[0] ?? {});
  const names = [...new Set([...Object.keys(stated ?? {}), ...Object.keys(properties)])];
  return names.map((name) => {
    const isUsed = stated ? name in stated : required.includes(name) || name in generated;
    const isCredential = name === 'client_id' || name === 'client_secret';
    const value = variables.includes(name)
      ? `{{${name}}}`
      : (generated[name] ?? stated?.[name] ?? exampleOf(document, properties[name]));
    return `${isUsed || isCredential ? '' : '~'}${name}: ${value}`;
  });
}

/** The value of the first of several examples. */
function firstOf(document, examples) {
  return resolve(document, Object.values(examples ?? {})[0])?.value;
}

/** A value that fits a schema: its example, or one that is built of its required properties. */
function exampleOf(document, given, depth = 0) {
  const schema = resolve(document, given ?? {});
  const stated = schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
  if (stated !== undefined) return stated;
  const choice = schema.oneOf?.[0] ?? schema.anyOf?.[0] ?? schema.allOf?.[0];
  if (choice && !schema.properties) return exampleOf(document, choice, depth);
  const [type] = [schema.type].flat();
  if (schema.properties && depth < 4)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([name]) => (schema.required ?? []).includes(name) || depth === 0)
        .map(([name, property]) => [name, exampleOf(document, property, depth + 1)]),
    );
  return { integer: schema.minimum ?? 1, number: 1, boolean: true, array: [], object: {} }[type] ?? '';
}

function resolve(document, value) {
  if (value?.$ref === undefined) return value;
  return resolve(
    document,
    value.$ref
      .slice(2)
      .split('/')
      .reduce((part, name) => part[name.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  );
}

function block(name, lines) {
  return `${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}

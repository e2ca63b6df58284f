import { urlencoded } from 'body-parser';
import { Router, type Request, type Response } from 'express';
import { verifyAccessToken } from '../authorization/access-token';
import { capabilityStatement } from '../discovery/capability-statement';
import { smartConfiguration } from '../discovery/smart-configuration';
import { isRelease, releases, type Release } from '../releases';
import type { Sandbox } from '../sandbox';
import { scenariosNamed } from '../scenarios/catalogue';
import type { Reply, Target } from '../scenarios/scenario';
import { publicBaseOf } from '../public-base';
import { answerExchange, type PageCursor } from './exchange';
import { requireJson } from './negotiation';
import { FhirProblem, fhirContentType, problemReply } from './operation-outcome';

/** The parameter of a next link below a type, in the spelling of Oracle Health. */
const typedCursor = '-pageContext';

const typeName = /^[A-Z][A-Za-z]{1,63}$/;

/** The FHIR API of the three releases. */
export function fhirRoutes(sandbox: Sandbox): Router {
  const router = Router({ mergeParams: true });
  const exchanged = (target: (request: Request) => Target) =>
    replied((request, release) =>
      answerExchange(sandbox, publicBaseOf(sandbox, request), release, request, target(request)),
    );

  router.use((request, response, next) => {
    if (request.get('authorization') === undefined) return next();
    const end = sandbox.observations.beginAt(request.get('host') ?? '');
    // 'finish' counts too: when 'close' fires, a client that has the response may have sent the next request already.
    response.once('finish', end).once('close', end);
    next();
  });
  router.get(
    '/:release/.well-known/smart-configuration',
    replied((request, release) => config(sandbox, request, release)),
  );
  router.get(
    '/:release/metadata',
    replied((request, release) => metadata(sandbox, request, release)),
  );
  router.get(
    '/:release',
    exchanged((request) => laterPage(sandbox, request)),
  );
  router.get(
    '/:release/Patient/:id/\\$everything',
    exchanged((request) => ({ ...target(request, 'everything', 'Patient'), everything: true })),
  );
  // The content of a Binary at an address that is not that of a resource.
  router.get(
    '/:release/files/:id',
    exchanged((request) => ({ ...target(request, 'read', 'Binary'), isContent: true })),
  );
  router.get(
    '/:release/:type/:id',
    exchanged((request) => target(request, 'read')),
  );
  router.get(
    '/:release/:type/:id/_history/:versionId',
    exchanged((request) => target(request, 'read')),
  );
  router.get(
    '/:release/:type',
    exchanged((request) =>
      parametersOf(request).has(typedCursor) ? laterPage(sandbox, request) : target(request, 'search'),
    ),
  );
  router.post(
    '/:release/:type/_search',
    urlencoded({ extended: false, limit: '1mb' }),
    exchanged((request) => target(request, 'search')),
  );
  router.use(
    '/:release',
    replied((request) => Promise.reject(methodProblem(request))),
  );
  return router;
}

async function config(sandbox: Sandbox, request: Request, release: Release): Promise<Reply> {
  const publicBase = publicBaseOf(sandbox, request);
  const scenarios = scenariosNamed(publicBase.scenarios);
  const document = scenarios.reduce<Record<string, unknown> | undefined>(
    (changed, scenario) => (changed && scenario.smartConfiguration ? scenario.smartConfiguration(changed) : changed),
    smartConfiguration(sandbox, publicBase),
  );
  const isThere = release !== 'dstu2' || scenarios.some((scenario) => scenario.smartConfigurationInDstu2);
  if (!document || !isThere) throw new FhirProblem(404, 'not-found', 'there is no smart-configuration here');
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(document),
  };
}

async function metadata(sandbox: Sandbox, request: Request, release: Release): Promise<Reply> {
  const publicBase = publicBaseOf(sandbox, request);
  requireJson(request.get('accept') ?? '*/*', parametersOf(request).get('_format'));
  const plain = capabilityStatement(sandbox, publicBase, release, await sandbox.people.types(release));
  const document = scenariosNamed([...publicBase.scenarios, ...scenariosOfGrant(sandbox, request)]).reduce(
    (changed, scenario) => scenario.capabilities?.(changed) ?? changed,
    plain,
  );
  return { status: 200, headers: { 'Content-Type': fhirContentType(release) }, body: JSON.stringify(document) };
}

/** The scenarios of the access token, which a client may send although the CapabilityStatement is public. */
function scenariosOfGrant(sandbox: Sandbox, request: Request): string[] {
  const token = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
  return (token && verifyAccessToken(sandbox, token)?.scenarios) || [];
}

function target(
  request: Request,
  interaction: Target['interaction'],
  type = String(request.params['type'] ?? ''),
): Target {
  if (!typeName.test(type)) throw new FhirProblem(404, 'not-supported', `${type} is no resource type`);
  const { id } = request.params;
  const parameters = parametersOf(request);
  return {
    interaction,
    type,
    parameters,
    offset: Number(parameters.get('startIndex') ?? 0) || 0,
    ...(id === undefined ? {} : { id: String(id) }),
  };
}

/** The page that a next link identifies. */
function laterPage(sandbox: Sandbox, request: Request): Target {
  const parameters = parametersOf(request);
  const token = parameters.get('_getpages') ?? parameters.get(typedCursor);
  if (token === null) throw new FhirProblem(400, 'not-supported', 'searches over all types are not supported');
  const cursor = sandbox.tokens.verify<PageCursor>('page', token);
  if (!cursor) throw new FhirProblem(410, 'not-found', 'this page is gone');
  const { type, offset, everything } = cursor;
  return {
    interaction: 'next-page',
    type,
    parameters: new URLSearchParams(cursor.parameters),
    offset,
    everything,
    cursor: `?_getpages=${token}`,
  };
}

/** The parameters of the query, and of the form of a `POST …/_search`. */
function parametersOf(request: Request): URLSearchParams {
  const question = request.originalUrl.indexOf('?');
  const parameters = new URLSearchParams(question < 0 ? '' : request.originalUrl.slice(question + 1));
  const form = request.method === 'POST' ? ((request.body ?? {}) as Record<string, string | string[]>) : {};
  for (const [name, value] of Object.entries(form)) for (const each of [value].flat()) parameters.append(name, each);
  return parameters;
}

function methodProblem(request: Request): FhirProblem {
  if (request.method === 'GET') return new FhirProblem(404, 'not-found', 'there is nothing at this address');
  return new FhirProblem(405, 'not-supported', 'this server can be read only', { Allow: 'GET' });
}

/** Runs a handler for the release in the path, and sends its reply or OperationOutcome. */
function replied(handler: (request: Request, release: Release) => Promise<Reply>) {
  return async (request: Request, response: Response): Promise<void> => {
    const named = String(request.params['release']);
    const release = isRelease(named) ? named : 'r4';
    const reply = await Promise.resolve()
      .then(() => {
        if (!isRelease(named)) throw new FhirProblem(404, 'not-found', `the releases here are ${releases.join(', ')}`);
        return handler(request, release);
      })
      .catch((error: unknown) => {
        if (!(error instanceof FhirProblem)) throw error;
        return problemReply(release, error.status, error.code, error.message, error.headers);
      });
    if (reply.status === 0) return void response.destroy();
    response.status(reply.status).set(reply.headers);
    response.end(reply.body);
  };
}

import { setTimeout } from 'node:timers/promises';
import type { Request } from 'express';
import type { Sandbox } from '../sandbox';
import type { PatientRecord } from '../records/patient-record';
import type { StoredResource } from '../records/stored-resource';
import { permits } from '../authorization/scopes';
import { scenariosNamed } from '../scenarios/catalogue';
import type { FhirExchange, Reply, Scenario, SearchPage, Target } from '../scenarios/scenario';
import type { Release } from '../releases';
import type { PublicBase } from '../public-base';
import { bearerGrant } from './bearer';
import { binaryReply, isFhirWanted } from './binary';
import { everythingOf } from './everything';
import { requireJson } from './negotiation';
import { FhirProblem, fhirContentType } from './operation-outcome';
import { matchEntry, pageText } from './page-text';
import { pageSize, searchRecord, type Matches } from './search';

/** The content of a page cursor. It is self-contained: the page is the same after a restart. */
export interface PageCursor {
  username: string;
  type: string;
  parameters: string;
  offset: number;
  everything: boolean;
  issuedAt: number;
}

/** Processes one authorized FHIR request, with the scenarios of its path and of its grant. */
export async function answerExchange(
  sandbox: Sandbox,
  publicBase: PublicBase,
  release: Release,
  request: Request,
  target: Target,
): Promise<Reply> {
  const grant = bearerGrant(sandbox, request.get('authorization'));
  const scenarios = scenariosNamed([...publicBase.scenarios, ...grant.scenarios]);
  const opened = sandbox.observations.begin(grant.username, `${target.interaction} ${target.type}`);
  request.res?.once('close', () => opened.end(request.res?.statusCode ?? 0));
  const delay = scenarios.reduce((sum, { delay: own = 0 }) => sum + (typeof own === 'number' ? own : own(target)), 0);
  if (delay > 0) await setTimeout(delay);
  const exchange: FhirExchange = {
    ...target,
    release,
    grant,
    base: `${publicBase.origin}${publicBase.prefix}/fhir/${release}`,
    otherOrigin: `${sandbox.elsewhereOrigin}/elsewhere/${encodeURIComponent(grant.username)}`,
    tokenIssuedAt: grant.issuedAt,
    counters: sandbox.grants.of(grant.grantId),
    query: request.originalUrl.slice(request.originalUrl.indexOf('?') + 1),
    address: `${release} ${target.interaction} ${target.type}/${target.id ?? ''}?${target.parameters.toString()}#${target.offset}`,
    accept: request.get('accept') ?? '*/*',
    ...modifiedSinceOf(request),
    open: opened.open,
    now: sandbox.now(),
  };
  if (exchange.interaction === 'search') sandbox.observations.searched(grant.username, target.type, exchange.address);
  for (const scenario of scenarios) {
    const instead = scenario.before?.(exchange);
    if (instead) return instead;
  }
  const plain = await plainAnswer(sandbox, exchange, scenarios);
  return scenarios.reduce((reply, scenario) => scenario.reply?.(reply, exchange) ?? reply, plain);
}

async function plainAnswer(sandbox: Sandbox, exchange: FhirExchange, scenarios: Scenario[]): Promise<Reply> {
  const { grant, release, type, accept, parameters } = exchange;
  const native = type === 'Binary' && (exchange.isContent === true || !isFhirWanted(accept, parameters));
  if (!native) requireJson(accept, parameters.get('_format'));
  if (!permits(grant.scopes, type, exchange.interaction === 'read' ? 'read' : 'search')) {
    throw new FhirProblem(403, 'forbidden', `the granted scopes do not cover ${type}`);
  }
  const person = sandbox.people.find(grant.username);
  const own = await person?.record(release);
  const record = own && scenarios.reduce((changed, scenario) => scenario.record?.(changed, release) ?? changed, own);
  const patientIds = [...(await idsOf(sandbox, grant.username)), ...(record ? [record.patientId] : [])];
  if (exchange.interaction === 'read') {
    const remembersDeletions = scenarios.some((scenario) => scenario.remembersDeletions);
    return readReply(exchange, record, patientIds, native, remembersDeletions);
  }
  if (exchange.interaction === 'everything' && !scenarios.some((scenario) => scenario.everything)) {
    throw new FhirProblem(404, 'not-supported', '$everything is not offered here');
  }
  const count = scenarios.reduce((size, scenario) => scenario.pageSize?.(size) ?? size, pageSize(parameters));
  const matches = record ? find(record, heeded(exchange, scenarios), patientIds, count) : { resources: [], total: 0 };
  const page = scenarios.reduce(
    (changed, scenario) => scenario.page?.(changed, exchange, record) ?? changed,
    firstPage(sandbox, exchange, matches, count),
  );
  return {
    status: 200,
    headers: { 'Content-Type': fhirContentType(release) },
    body: pageText(page, `page-${exchange.offset}`, exchange.now),
  };
}

function modifiedSinceOf(request: Request): { modifiedSince?: number } {
  const modifiedSince = Date.parse(request.get('if-modified-since') ?? '');
  return Number.isNaN(modifiedSince) ? {} : { modifiedSince };
}

/** The parameters without those that scenarios ignore. */
function heeded(target: Target, scenarios: Scenario[]): Target {
  const ignored = scenarios.flatMap((scenario) => scenario.ignores ?? []);
  return ignored.length === 0
    ? target
    : {
        ...target,
        parameters: new URLSearchParams([...target.parameters].filter(([name]) => !ignored.includes(name))),
      };
}

function find(record: PatientRecord, target: Target, patientIds: string[], count: number): Matches {
  return target.everything
    ? everythingOf(record, target.offset, count)
    : searchRecord(record, target.type, target.parameters, patientIds, target.offset, count);
}

function firstPage(sandbox: Sandbox, exchange: FhirExchange, matches: Matches, count: number): SearchPage {
  const { base, type, interaction, everything = false } = exchange;
  const after = exchange.offset + matches.resources.length;
  const query = exchange.parameters.toString();
  const self = interaction === 'everything' ? `${base}/Patient/${exchange.id}/$everything` : `${base}/${type}`;
  const links = [{ relation: 'self', url: `${self}${query === '' ? '' : `?${query}`}` }];
  if (after < matches.total && count > 0) {
    const cursor: PageCursor = {
      username: exchange.grant.username,
      type,
      parameters: query,
      offset: after,
      everything,
      issuedAt: exchange.now,
    };
    links.push({ relation: 'next', url: `${base}?_getpages=${sandbox.tokens.sign('page', cursor)}` });
  }
  return { total: matches.total, links, entries: matches.resources.map((resource) => matchEntry(base, resource)) };
}

function readReply(
  exchange: FhirExchange,
  record: PatientRecord | undefined,
  patientIds: string[],
  native: boolean,
  remembersDeletions: boolean,
): Reply {
  const { type, id = '', release } = exchange;
  const resource =
    record?.read(type, id) ??
    (type === 'Patient' && patientIds.includes(id) ? record?.read(type, record.patientId) : undefined);
  if (!resource && remembersDeletions && record?.wasRemoved?.(type, id))
    throw new FhirProblem(410, 'deleted', `${type}/${id} was deleted`);
  if (!resource) throw new FhirProblem(404, 'not-found', `${type}/${id} is not here`);
  return native ? binaryReply(resource, release) : resourceReply(resource, release);
}

function resourceReply(resource: StoredResource, release: Release): Reply {
  return {
    status: 200,
    headers: {
      'Content-Type': fhirContentType(release),
      ETag: `W/"${resource.versionId}"`,
      'Last-Modified': new Date(resource.lastUpdated).toUTCString(),
    },
    body: resource.text,
  };
}

/** The ids of the person's Patient resources in all releases: a grant is valid for all of them. */
async function idsOf(sandbox: Sandbox, username: string): Promise<string[]> {
  const person = sandbox.people.find(username);
  const records = await Promise.all((person?.releases ?? []).map((release) => person!.record(release)));
  return records.flatMap((record) => record?.patientId ?? []);
}

import { z } from 'zod';
import { bareId, bareTerm } from '../bare/bare-tables';
import type { Sequence } from '../load/sequence';
import { type Person, fhirHeaders, get, spread } from '../people/person';
import type { SearchedCode } from '../people/record-template';
import type { BenchUser } from '../suite/users';
import { callJson, inParallel } from '../suite/http';
import type { BenchContext } from '../bench-context';

/** The number of different requests that are prepared for a load. */
const variety = 4000;
const idsOfEach = 8;

const found = z.object({ entry: z.array(z.object({ resource: z.object({ id: z.string() }) })).default([]) });

/** Reads of Observations of all users. */
export async function reads(context: BenchContext, people: readonly Person[]): Promise<Sequence[]> {
  const sequences: Sequence[] = [];
  await inParallel(spread(people, Math.min(people.length, variety / 4)), 8, async (person) => {
    const { entry } = await callJson(found, `${context.origin}/r4/Observation?_count=${idsOfEach}`, {
      headers: fhirHeaders(person),
    });
    for (const { resource } of entry) sequences.push([get(person, `/r4/Observation/${resource.id}`)]);
  });
  return spread(sequences, sequences.length);
}

export function bareReads(people: readonly Person[]): Sequence[] {
  return spread(people, variety).map(({ userId, template }, n) => {
    const indexes = observationIndexes(template.resources);
    return [
      {
        method: 'GET',
        path: `/read/${userId}/${bareId(userId, indexes[n % indexes.length] ?? 0)}`,
        headers: {},
        expect: 200,
      },
    ];
  });
}

/** Searches of the first page of the Observations with the most frequent code of the record, the newest first. */
export function searches(people: readonly Person[]): Sequence[] {
  return spread(people, variety).map((person) => [searchByCode(person, person.template.codes[0])]);
}

export function bareSearches(people: readonly Person[]): Sequence[] {
  return spread(people, variety).map(({ userId, template }) => [bareSearchByCode(userId, template.codes[0])]);
}

function searchByCode(person: BenchUser, code: SearchedCode | undefined): Sequence[number] {
  return get(
    person,
    `/r4/Observation?code=${encodeURIComponent(`${code?.system ?? ''}|${code?.code ?? ''}`)}&_sort=-date&_count=20`,
  );
}

function bareSearchByCode(userId: number, code: SearchedCode | undefined): Sequence[number] {
  return { method: 'GET', path: `/search/${userId}/${code ? bareTerm(code) : 0n}`, headers: {}, expect: 200 };
}

const writing = { 'content-type': 'application/fhir+json' };

/** Creates of Observations for all users. */
export function creates(people: readonly Person[]): Sequence[] {
  return contents(people).map(({ person, body }) => [createStep(person, body)]);
}

/** Creates a copy of an Observation. */
export function createOf(user: BenchUser, line: string): Sequence {
  return [createStep(user, withoutIdAndMeta(line))];
}

function createStep(user: BenchUser, body: string): Sequence[number] {
  return { method: 'POST', path: '/r4/Observation', headers: { ...fhirHeaders(user), ...writing }, body, expect: 201 };
}

export function bareCreates(people: readonly Person[]): Sequence[] {
  return contents(people).map(({ person, body }) => [
    { method: 'POST', path: `/create/${person.userId}`, headers: writing, body, expect: 201 },
  ]);
}

/** Sequences that create, read, update and delete one resource. */
export function lives(people: readonly Person[]): Sequence[] {
  return contents(people).map(({ person, body }) => {
    const headers = fhirHeaders(person);
    const path = '/r4/Observation/{id}';
    return [
      createStep(person, body),
      { method: 'GET', path, headers, expect: 200 },
      { method: 'PUT', path, headers: { ...headers, ...writing }, body: changed(body), expect: 200 },
      { method: 'DELETE', path, headers, expect: 204 },
    ];
  });
}

export function bareLives(people: readonly Person[]): Sequence[] {
  return contents(people).map(({ person: { userId }, body }) => [
    { method: 'POST', path: `/create/${userId}`, headers: writing, body, expect: 201 },
    { method: 'GET', path: `/read/${userId}/{id}`, headers: {}, expect: 200 },
    { method: 'PUT', path: `/update/${userId}/{id}`, headers: writing, body: changed(body), expect: 200 },
    { method: 'DELETE', path: `/delete/${userId}/{id}`, headers: {}, expect: 204 },
  ]);
}

/** Valid Observations without id and meta, which the server assigns. */
export function contents(people: readonly Person[]): { person: Person; body: string }[] {
  const bodies = new Map<object, string[]>();
  for (const { template } of people) {
    if (!template.valid || bodies.has(template)) continue;
    bodies.set(
      template,
      observationIndexes(template.resources).map((index) => withoutIdAndMeta(template.lines[index] ?? '{}')),
    );
  }
  const able = people.filter(({ template }) => (bodies.get(template)?.length ?? 0) > 0);
  return spread(able, variety).map((person, n) => {
    const own = bodies.get(person.template) ?? [];
    return { person, body: own[n % own.length] ?? '' };
  });
}

function withoutIdAndMeta(line: string): string {
  const { id: _id, meta: _meta, ...rest } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify(rest);
}

/** The body of an update: it has the id of the resource and another status. */
function changed(body: string): string {
  return body.replace('{', '{"id":"{id}",').replace(/"status":"[a-z-]+"/, '"status":"amended"');
}

function observationIndexes(resources: readonly { type: string }[]): number[] {
  return resources.flatMap(({ type }, index) => (type === 'Observation' ? [index] : []));
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Resource } from '@tributary/fhir-json';
import { tally } from '@tributary/test-environment';
import { comparable, isOwn, references, resources } from '../records/comparable';
import {
  type ClientCredentials,
  type User,
  collected,
  connect,
  exportAll,
  newClient,
  newUser,
  releaseOf,
} from '../suite/users';
import { type Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const folder = process.env['JOURNEY_RECORDS'];

/** The source record of a person in one release. */
function source(release: string, username: string): Resource[] {
  const plain = join(folder ?? '', release, `${username}.ndjson`);
  const packed = `${plain}.gz`;
  const text = existsSync(plain) ? readFileSync(plain, 'utf8') : gunzipSync(readFileSync(packed)).toString('utf8');
  return resources(text.split('\n').filter(Boolean));
}

const key = (resource: Resource): string => `${resource.resourceType}/${resource.id ?? ''}`;

/**
 * Checks that references to resources of the source have targets with the same content in the store, and that all
 * others are unchanged.
 */
function checkReferences(from: Resource[], stored: Resource[]): string[] {
  const sourceById = new Map(from.map((resource) => [key(resource), resource]));
  const storedById = new Map(stored.map((resource) => [key(resource), resource]));
  const shape = (resource: Resource, byId: Map<string, Resource>): string =>
    `${comparable(resource)} ${references(resource)
      .map((reference) =>
        isOwn(reference) && byId.has(reference) ? `→ ${comparable(byId.get(reference)!)}` : reference,
      )
      .join(' ')}`;
  const expected = tally(from.map((resource) => shape(resource, sourceById)));
  const found = tally(stored.map((resource) => shape(resource, storedById)));
  return [...expected].filter(([text, count]) => found.get(text) !== count).map(([text]) => text.slice(0, 300));
}

describe('connect and collect', () => {
  let client: ClientCredentials;
  beforeAll(async () => {
    client = await newClient(ready, 'collection journey');
  });

  const people = ready.sandbox.patients;
  it('has source records', () => expect(people.length).toBeGreaterThan(0));

  it.each(people.map(({ username, releases }) => [username, releases] as const))(
    'collects the whole record of %s exactly, once, and the same again',
    async (username, releases) => {
      const user = await newUser(ready, client);
      const end = await connect(ready, user, username, { ...releaseOf(releases), state: 'kept & untouched' });
      expect(Object.fromEntries(end.searchParams)).toEqual({
        success: 'true',
        connection_id: expect.any(String),
        health_system_id: String(ready.sandbox.health_system_id),
        state: 'kept & untouched',
      });
      const connections = await collected(ready, user);
      expect(end.searchParams.getAll('connection_id').sort()).toEqual(
        connections.map((connection) => connection.text('connection_id')).sort(),
      );
      expect(connections.map((connection) => connection.at('status'))).toEqual(connections.map(() => 'active'));
      expect(connections.map((connection) => connection.at('fhirVersion'))).toEqual(
        expect.arrayContaining([...releases]),
      );
      const first = await exportAll(ready, bearer(user.access_token));
      if (folder)
        checkExport(releases, username, resources(first.lines), first.manifest.list('output') as OutputEntry[]);

      for (const connection of connections)
        await http('POST', `${ready.base_url}/connect/v1/connections/${connection.text('connection_id')}/refresh`, {
          headers: bearer(user.access_token),
        });
      expect((await collected(ready, user)).map((connection) => connection.at('status'))).toEqual(
        connections.map(() => 'active'),
      );
      const second = await exportAll(ready, bearer(user.access_token));
      expect(tally(second.lines)).toEqual(tally(first.lines));
    },
  );

  it('collects only the requested release, and rejects one that the system lacks', async () => {
    const user = await newUser(ready, client);
    await connect(ready, user, people[0]!.username, { fhirVersion: 'r4' });
    expect((await collected(ready, user)).map((connection) => connection.at('fhirVersion'))).toEqual(['r4']);
    const refused = await refusal(user, { fhirVersion: 'r9' });
    expect(refused.status).toBe(400);
  });

  it.each([
    ['denied-with-error-uri', 'access_denied'],
    ['user-practitioner', 'no_patient'],
    ['scopes-registered-only', 'invalid_scope'],
    ['client-unauthorized', 'not_registered'],
    ['token-unavailable', 'system_unavailable'],
    ['code-expired', 'expired'],
  ])('returns to the client from %s with %s', async (scenario, error) => {
    const user = await newUser(ready, client);
    const { username, releases } = people[0]!;
    const end = await connect(ready, user, `${username}+${scenario}`, { fhirVersion: releases[0]!, state: 's' });
    expect(Object.fromEntries(end.searchParams)).toEqual({
      success: 'false',
      error,
      health_system_id: String(ready.sandbox.health_system_id),
      state: 's',
    });
  });

  it('reports errors before the redirect_uri is validated without a redirect, and has no open redirect', async () => {
    const user = await newUser(ready, client);
    const other = await newClient(ready, 'not its token');
    expect((await refusal(user, { client_id: other.client_id })).status).toBe(401);
    expect((await refusal(user, { client_id: 'nobody' })).status).toBeGreaterThanOrEqual(400);
    expect((await refusal(user, { access_token: 'x'.repeat(43) })).status).toBe(401);
    expect((await refusal(user, { redirect_uri: 'https://evil.example.com/' })).status).toBe(400);
    expect((await refusal(user, {}, '99999999')).status).toBe(404);
    const page = await http('GET', `${ready.base_url}/connect/system/clinical/99999999?client_id=x&access_token=y`, {
      headers: { Accept: 'text/html' },
    });
    expect([page.headers.get('content-type')?.includes('text/html'), page.status >= 400]).toEqual([true, true]);
  });

  it('counts the resources of the record, and keeps the last result during another collection', async () => {
    const user = await newUser(ready, client);
    await connect(ready, user, 'person-61+type-forbidden', { fhirVersion: 'r4' });
    const result = (connection: Json | undefined): unknown[] =>
      ['status', 'progress', 'complete', 'warnings', 'granted_scopes', 'refreshable'].map((name) =>
        connection?.at(name),
      );
    const [first] = await collected(ready, user);
    const held = (await exportAll(ready, bearer(user.access_token))).lines.length;
    const warnings = [expect.objectContaining({ code: 'search_refused', type: 'Condition' })];
    const total = first?.number('progress', 'types_total') ?? 0;
    const progress = { collected: held, types_done: total, types_total: total };
    const scopes = expect.arrayContaining(['patient/*.read']);
    expect(result(first)).toEqual(['active', progress, false, expect.arrayContaining(warnings), scopes, true]);
    const again = await http(
      'POST',
      `${ready.base_url}/connect/v1/connections/${first?.text('connection_id')}/refresh`,
      { headers: bearer(user.access_token) },
    );
    expect(result(again.json)).toEqual([
      'collecting',
      { ...progress, types_done: 0 },
      false,
      first?.at('warnings'),
      scopes,
      true,
    ]);
    const [second] = await collected(ready, user);
    expect(result(second)).toEqual(['active', progress, false, expect.arrayContaining(warnings), scopes, true]);
    expect((await exportAll(ready, bearer(user.access_token))).lines).toHaveLength(held);
  });

  it('stores the attachments that a health system names by relative addresses', async () => {
    const user = await newUser(ready, client);
    await connect(ready, user, 'person-62+attachments-relative', { fhirVersion: 'r4' });
    const [connection] = await collected(ready, user);
    const exported = resources((await exportAll(ready, bearer(user.access_token))).lines);
    expect([connection?.at('status'), connection?.at('complete'), connection?.number('progress', 'collected')]).toEqual(
      ['active', true, exported.length],
    );
    const urls = exported
      .filter(({ resourceType }) => resourceType === 'DocumentReference')
      .flatMap((document) => document['content'] as { attachment: { url: string } }[])
      .map(({ attachment }) => attachment.url);
    const binaries = exported.filter(({ resourceType }) => resourceType === 'Binary').map(key);
    expect(urls.length).toBeGreaterThan(0);
    expect(urls.map((url) => url.replace(/^.*(?=Binary\/)/, '')).sort()).toEqual(binaries.sort());
  });

  it('collects the record of a child, and of the mother who signs in only what that refers to', async () => {
    const user = await newUser(ready, client);
    await connect(ready, user, 'person-63+mother-and-child', { fhirVersion: 'r4' });
    const [connection] = await collected(ready, user);
    const { lines } = await exportAll(ready, bearer(user.access_token));
    expect([connection?.at('status'), connection?.at('complete'), connection?.number('progress', 'collected')]).toEqual(
      ['active', true, lines.length],
    );
    expect(resources(lines).filter(({ resourceType }) => resourceType === 'Patient')).toHaveLength(2);
    expect(lines.filter((line) => line.includes('/Encounter/delivery'))).toHaveLength(1);
    expect(lines.filter((line) => /mothers-|a condition of the mother/.test(line))).toEqual([]);
  });

  it('separates two patients of one system under two users', async () => {
    if (people.length < 2) return;
    const [one, two] = [await newUser(ready, client), await newUser(ready, client)];
    await connect(ready, one, people[0]!.username, { fhirVersion: people[0]!.releases[0]! });
    await connect(ready, two, people[1]!.username, { fhirVersion: people[1]!.releases[0]! });
    await Promise.all([collected(ready, one), collected(ready, two)]);
    const [ofOne, ofTwo] = await Promise.all([one, two].map((user) => exportAll(ready, bearer(user.access_token))));
    const idsOfOne = new Set(resources(ofOne!.lines).map(key));
    expect(resources(ofTwo!.lines).filter((resource) => idsOfOne.has(key(resource)))).toEqual([]);
  });

  function refusal(
    user: User,
    changes: Record<string, string>,
    system = String(ready.sandbox.health_system_id),
  ): ReturnType<typeof http> {
    const query = new URLSearchParams({ client_id: user.client_id, access_token: user.access_token, ...changes });
    return http('GET', `${ready.base_url}/connect/system/clinical/${system}?${query.toString()}`, {
      headers: { Accept: 'application/json' },
    });
  }
});

interface OutputEntry {
  type: string;
  url: string;
  count: number;
  extension: { fhirVersion: string };
}

/** Checks that the export equals the source files of the person in each release. */
function checkExport(releases: readonly string[], username: string, exported: Resource[], output: OutputEntry[]): void {
  expect(new Set(exported.map(key)).size).toBe(exported.length);
  let from = 0;
  const byRelease = new Map<string, Resource[]>();
  for (const { count, extension } of output) {
    byRelease.set(extension.fhirVersion, [
      ...(byRelease.get(extension.fhirVersion) ?? []),
      ...exported.slice(from, from + count),
    ]);
    from += count;
  }
  for (const release of releases) {
    const expected = source(release, username);
    const stored = byRelease.get(release) ?? [];
    expect(Object.fromEntries(tally(stored.map(({ resourceType }) => resourceType)))).toEqual(
      Object.fromEntries(tally(expected.map(({ resourceType }) => resourceType))),
    );
    const byId = new Set(stored.map(key));
    const shapes = tally(stored.map(comparable));
    const missing = [...tally(expected.map(comparable))]
      .filter(([text, count]) => shapes.get(text) !== count)
      .map(([text]) => text.slice(0, 300));
    expect(missing).toEqual([]);
    expect(checkReferences(expected, stored)).toEqual([]);
    for (const resource of stored) {
      expect(resource.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      // A reference whose target was not collected has its source form again, in a second version.
      const settled = references(resource).some((reference) => isOwn(reference) && !byId.has(reference));
      expect([resource.resourceType, resource.meta?.versionId]).toEqual([resource.resourceType, settled ? '2' : '1']);
    }
  }
}

import { releases, type Release } from '@tributary/fhir-definitions';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { validateResource } from './index';

const folder = join(process.env['TRIBUTARY_DATA'] ?? join(__dirname, '../../../../shared/data'), 'records');
const whereData = existsSync(folder) ? describe : describe.skip;

function read(release: Release, isWanted: (file: string) => boolean): JsonObject[] {
  return readdirSync(join(folder, release))
    .filter((file) => file.endsWith('.ndjson.gz') && isWanted(file))
    .flatMap((file) =>
      gunzipSync(readFileSync(join(folder, release, file)))
        .toString('utf8')
        .split('\n')
        .filter(Boolean),
    )
    .map((line) => parseJson(line))
    .filter(isJsonObject);
}

/** Changes a copy of a resource so that it has one fault; undefined where the resource has no place for it. */
type Mutation = (resource: JsonObject) => string | undefined;

const mutations: Record<string, Mutation> = {
  'an unknown element': (resource) => set(resource, 'nonsense', 'x', 'structure', 'nonsense'),
  'an unknown element deep within': (resource) =>
    onFirst(resource, 'code', (code) => set(code, 'nonsense', 'x', 'structure', 'code.nonsense')),
  'a missing required element': (resource) =>
    'status' in resource && resource['resourceType'] === 'Observation' ? remove(resource, 'status') : undefined,
  'a single value for an array': (resource) => {
    const { identifier } = resource;
    return Array.isArray(identifier)
      ? set(resource, 'identifier', identifier[0] ?? null, 'structure', 'identifier')
      : undefined;
  },
  'an array for a single value': (resource) =>
    isJsonObject(resource['code']) ? set(resource, 'code', [resource['code']], 'structure', 'code') : undefined,
  'a string for an object': (resource) =>
    isJsonObject(resource['code']) ? set(resource, 'code', 'x', 'structure', 'code') : undefined,
  'a number for a string': (resource) => set(resource, 'id', 5, 'structure', 'id'),
  'an id with a space': (resource) => set(resource, 'id', 'a b', 'value', 'id'),
  'an empty array': (resource) => set(resource, 'extension', [], 'structure', 'extension'),
  'an empty object': (resource) => set(resource, 'meta', {}, 'structure', 'meta'),
  'an empty string': (resource) => set(resource, 'language', '', 'value', 'language'),
  'a null': (resource) => set(resource, 'language', null, 'structure', 'language'),
  'a code outside a required value set': (resource) =>
    resource['resourceType'] === 'Patient' ? set(resource, 'gender', 'X', 'code-invalid', 'gender') : undefined,
  'two types of a choice': (resource) =>
    'valueQuantity' in resource ? set(resource, 'valueString', 'x', 'structure', 'value') : undefined,
  'a date that no calendar has': (resource) =>
    'birthDate' in resource ? set(resource, 'birthDate', '1970-02-30', 'value', 'birthDate') : undefined,
  'a time without a zone': (resource) =>
    'effectiveDateTime' in resource
      ? set(resource, 'effectiveDateTime', '2020-01-01T10:00:00', 'value', 'effective')
      : undefined,
  'a reference to the wrong type': (resource) =>
    ['Observation', 'Condition', 'Encounter', 'Procedure', 'Immunization'].includes(String(resource['resourceType']))
      ? (onFirst(resource, 'subject', (subject) => set(subject, 'reference', 'Slot/1', 'value', 'subject.reference')) ??
        onFirst(resource, 'patient', (patient) => set(patient, 'reference', 'Slot/1', 'value', 'patient.reference')))
      : undefined,
  'a reference to a contained resource that is not there': (resource) =>
    onFirst(resource, 'subject', (subject) => set(subject, 'reference', '#nobody', 'invariant', 'subject.reference')),
  'a contained resource with a fault': (resource) =>
    'contained' in resource
      ? undefined
      : set(
          resource,
          'contained',
          [{ resourceType: 'Patient', id: 'c', active: 'yes' }],
          'structure',
          'contained[0].active',
        ),
  'an extension of a primitive without its url': (resource) =>
    'birthDate' in resource
      ? set(resource, '_birthDate', { extension: [{ valueCode: 'x' }] }, 'required', 'birthDate.extension[0].url')
      : undefined,
};

function set(object: JsonObject, name: string, value: JsonValue, code: string, path: string): string {
  object[name] = value;
  return `${code} ${path}`;
}

function remove(object: JsonObject, name: string): string {
  delete object[name];
  delete object[`_${name}`];
  return `required ${name}`;
}

function onFirst(resource: JsonObject, name: string, change: (value: JsonObject) => string): string | undefined {
  const value = resource[name];
  return isJsonObject(value) ? change(value) : undefined;
}

whereData.each(releases)('the real records of %s (skipped where the data is absent)', (release) => {
  const resources = existsSync(folder) ? read(release, (file) => !file.startsWith('gsd-')) : [];

  it('are all valid', () => {
    expect(resources.length).toBeGreaterThan(2000);
    for (const resource of resources) {
      const issues = validateResource(release, resource);
      if (issues.length > 0) throw new Error(`${String(resource['resourceType'])}: ${JSON.stringify(issues)}`);
    }
  });

  it.each(Object.entries(mutations))('are reported after the mutation: %s', (_name, mutate) => {
    let mutated = 0;
    for (const [index, resource] of resources.entries()) {
      if (index % 7 !== 0 && resource['resourceType'] !== 'Patient') continue;
      const changed = structuredClone(resource);
      const expected = mutate(changed);
      if (expected === undefined) continue;
      mutated++;
      const [code, path] = expected.split(' ');
      expect(validateResource(release, changed).map((issue) => `${issue.code} ${issue.expression}`)).toContain(
        `${code} ${String(changed['resourceType'])}.${path}`,
      );
    }
    expect(mutated).toBeGreaterThan(0);
  });
});

whereData('the faulty records of old generators (skipped where the data is absent)', () => {
  it('are reported', () => {
    const faults = new Set(
      read('dstu2', (file) => file.startsWith('gsd-'))
        .flatMap((resource) => validateResource('dstu2', resource))
        .map(({ code, expression }) => `${code} ${expression}`),
    );
    expect(faults).toContain('required DiagnosticReport.performer');
    expect(faults).toContain('required Immunization.reported');
    expect(faults).toContain('structure Encounter.reason');
  });
});

import type * as r2 from 'fhir/r2.js';
import type * as r3 from 'fhir/r3.js';
import type * as r4 from 'fhir/r4.js';
import type { FhirVersion } from '../api-types.ts';

interface Releases {
  dstu2: { resource: r2.FhirResource; bundle: r2.Bundle<r2.FhirResource>; entry: r2.BundleEntry<r2.FhirResource> };
  stu3: { resource: r3.FhirResource; bundle: r3.Bundle<r3.FhirResource>; entry: r3.BundleEntry<r3.FhirResource> };
  r4: { resource: r4.FhirResource; bundle: r4.Bundle<r4.FhirResource>; entry: r4.BundleEntry<r4.FhirResource> };
}

/** Any resource of a release. */
export type FhirResource<Release extends FhirVersion = 'r4'> = Releases[Release]['resource'];
/** The names of the resource types of a release. */
export type ResourceType<Release extends FhirVersion = 'r4'> = FhirResource<Release>['resourceType'];
/** The resource of a type: `ResourceOfType<'r4', 'Condition'>`. */
export type ResourceOfType<Release extends FhirVersion, Type extends ResourceType<Release>> = Extract<
  FhirResource<Release>,
  { resourceType: Type }
>;
export type FhirBundle<Release extends FhirVersion = 'r4'> = Releases[Release]['bundle'];
export type FhirBundleEntry<Release extends FhirVersion = 'r4'> = Releases[Release]['entry'];

/** A resource as it is stored. */
export type Stored<Resource> = Resource & { id: string; meta: { versionId: string; lastUpdated: string } };

/** An operation of JSON Patch (RFC 6902). */
export type PatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string };

import {
  compartment,
  isResourceType,
  resourceTypes,
  searchParameters,
  type Release,
  type SearchParameter,
} from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { anyCriterion, type Criterion } from '../criteria/criterion';
import { testCriterion } from '../criteria/parameter-criterion';
import { referenceTest } from '../criteria/reference';
import { containedId } from '../values/contained-resources';
import { valuesAt } from '../values/element-paths';
import { mayReferTo, referencedType, referenceTexts, versionedReferenceTexts } from '../values/references';
import { resolveParameter } from './resolved-parameter';
import type { Include } from './result-parameters';
import type { SubSearch } from './search-query';

/**
 * The references of a resource for a search parameter: `Type/id` or URLs. Empty when it is no reference parameter of
 * the type.
 */
export function referencesOf(release: Release, type: string, parameter: string, resource: Resource): string[] {
  const definition = searchParameters(release, type).get(parameter);
  return definition?.type === 'reference' ? referencesFor(definition, resource) : [];
}

/** The ids of the contained resources that a resource of the type refers to, for a reference parameter of the type. */
export function containedReferencesOf(release: Release, type: string, parameter: string, resource: Resource): string[] {
  const definition = resource.resourceType === type ? searchParameters(release, type).get(parameter) : undefined;
  return (
    definition?.paths.flatMap((path) => valuesAt(path, resource).flatMap((value) => containedId(value) ?? [])) ?? []
  );
}

function referencesFor(definition: SearchParameter, resource: Resource, textsOf = referenceTexts): string[] {
  const found = new Set<string>();
  for (const path of definition.paths) {
    for (const value of valuesAt(path, resource)) {
      const texts = textsOf(path.type, value);
      if (path.resolvesTo !== undefined && !mayReferTo(path.resolvesTo, value, texts)) continue;
      for (const text of texts) found.add(text);
    }
  }
  return [...found];
}

/**
 * The references of a match that an `_include` follows (https://hl7.org/fhir/R4/search.html#include), with the version
 * that they name (https://hl7.org/fhir/R4/search.html#versions).
 */
export function includedReferences(release: Release, include: Include, resource: Resource): string[] {
  const type = resource.resourceType;
  if (include.source !== '*' && include.source !== type) return [];
  const found = new Set<string>();
  for (const definition of referenceParameters(release, type, include.parameter)) {
    for (const reference of referencesFor(definition, resource, versionedReferenceTexts)) {
      if (include.target === undefined || referencedType(reference) === include.target) found.add(reference);
    }
  }
  return [...found];
}

/** The search for the resources that a `_revinclude` adds: they refer to one of the references. */
export function referencing(release: Release, include: Include, references: readonly string[]): SubSearch {
  const wanted =
    include.target === undefined
      ? references
      : references.filter((reference) => referencedType(reference) === include.target);
  const referenced = new Set(wanted.map(referencedType));
  const sources = include.source === '*' ? resourceTypes(release) : [include.source];
  const test = referenceTest(wanted);
  const types: string[] = [];
  const criteria: Criterion[] = [];
  for (const source of sources) {
    const parameters = referenceParameters(release, source, include.parameter).filter(
      ({ targets }) => targets.length === 0 || targets.some((target) => referenced.has(target)),
    );
    if (parameters.length === 0) continue;
    types.push(source);
    for (const { code } of parameters) {
      const parameter = resolveParameter(release, [source], code);
      if (parameter) criteria.push(testCriterion(parameter, [test], `${source}:${code}`));
    }
  }
  // A search without types would be on all types.
  return {
    types: types.length > 0 ? types : sources,
    criteria: [anyCriterion('_revinclude', criteria)],
    subqueries: [],
  };
}

function referenceParameters(release: Release, type: string, code: string): SearchParameter[] {
  const parameters = [...searchParameters(release, type).values()].filter(
    (parameter) => parameter.type === 'reference',
  );
  return code === '*' ? parameters : parameters.filter((parameter) => parameter.code === code);
}

/**
 * The criterion for resources of a type that are in a compartment such as Patient/123:
 * https://hl7.org/fhir/R4/compartmentdefinition.html. Undefined when the type is not part of the compartment.
 */
export function compartmentCriterion(release: Release, name: string, id: string, type: string): Criterion | undefined {
  const of = referringCriteria(release, type, compartment(release, name).get(type) ?? [], `${name}/${id}`);
  if (type === name) {
    const itself: Criterion = {
      parameter: `${name}/${id}`,
      condition: { op: 'id', ids: [id] },
      exact: true,
      matches: (resource) => resource.resourceType === name && resource.id === id,
    };
    of.push(itself);
  }
  return of.length > 0 && isResourceType(release, type) ? anyCriterion(`${name}/${id}`, of) : undefined;
}

/**
 * The parameters that name whom a resource is about; on a type that has several of them, they have the same element.
 */
const patientParameters = ['patient', 'subject', 'beneficiary'];

/**
 * The criterion for resources of a type of the Patient compartment that a search by patient returns. The compartment
 * has more: a Coverage of which the patient is the subscriber, or an Observation of which they are the performer, can
 * be about someone else. Undefined when the type has no parameter for the patient.
 */
export function patientCriterion(release: Release, id: string, type: string): Criterion | undefined {
  const isMember = type !== 'Patient' && compartment(release, 'Patient').has(type);
  const of = isMember ? referringCriteria(release, type, patientParameters, `Patient/${id}`) : [];
  return of.length > 0 ? anyCriterion(`Patient/${id}`, of) : undefined;
}

/** A criterion for each parameter that the type has. */
function referringCriteria(release: Release, type: string, codes: readonly string[], reference: string): Criterion[] {
  const test = referenceTest([reference]);
  return codes.flatMap((code) => {
    const parameter = resolveParameter(release, [type], code);
    return parameter ? [testCriterion(parameter, [test], reference)] : [];
  });
}

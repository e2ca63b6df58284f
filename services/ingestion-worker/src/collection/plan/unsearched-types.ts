import {
  type CollectionWarning,
  type ConnectionForCollection,
  accessToType,
  requestedTypes,
  resourceScopesOf,
} from '@tributary/contracts';
import { compartment } from '@tributary/fhir-definitions';
import type { Capabilities } from './capabilities';

/** A clinical type that is not searched. */
export interface UnsearchedType {
  type: string;
  /** Why it is not collected; undefined when its resources are read by reference. */
  warning?: CollectionWarning;
}

export interface UnsearchedInput extends Pick<
  ConnectionForCollection,
  'fhirVersion' | 'requested_scope' | 'granted_scope' | 'consented_types'
> {
  capabilities: Capabilities | undefined;
  /** The types that are searched. */
  searched: ReadonlySet<string>;
}

/**
 * The clinical types, and the other types of the Patient compartment that the health system offers, that a collection
 * does not search, so that its result names all of them. Types outside of the Patient compartment
 * (https://hl7.org/fhir/R4/compartmentdefinition-patient.html), for example Practitioner, are read by reference. A type
 * that the health system does not offer is not missing, whether or not access to it was granted.
 */
export function unsearchedTypes(input: UnsearchedInput): UnsearchedType[] {
  const { fhirVersion: release, consented_types: consentedTypes, capabilities, searched } = input;
  const members = compartment(release, 'Patient');
  const offered = [...(capabilities?.searchable.keys() ?? [])].filter((type) => members.has(type));
  return [...new Set([...requestedTypes(release), ...offered])]
    .filter((type) => !searched.has(type))
    .map((type): UnsearchedType => {
      if (consentedTypes?.includes(type) === false || !allows(input.requested_scope, type))
        return {
          type,
          warning: { code: 'not_requested', message: `no scope for ${type} was requested` },
        };
      const isOffered =
        !capabilities || !members.has(type) || capabilities.searchable.has(type) || capabilities.readOnly.has(type);
      if (isOffered && !allows(input.granted_scope, type))
        return { type, warning: { code: 'not_granted', message: `access to ${type} was not granted` } };
      if (!members.has(type)) return { type };
      if (capabilities?.searchable.has(type))
        return {
          type,
          warning: { code: 'no_patient_search', message: `the health system offers no search of ${type} by patient` },
        };
      if (capabilities?.readOnly.has(type))
        return {
          type,
          warning: {
            code: 'read_only',
            message: `the health system offers reads of ${type}, but no searches; only what others refer to is found`,
          },
        };
      return {
        type,
        warning: { code: 'not_offered', message: `the health system does not offer searches of ${type}` },
      };
    });
}

/** Whether scopes allow to read or search a type. A set without any scope for resources does not limit the types. */
export function allows(scope: string, type: string): boolean {
  const scopes = resourceScopesOf(scope);
  const { read, search } = accessToType(scopes, type);
  return scopes.length === 0 || read || search;
}

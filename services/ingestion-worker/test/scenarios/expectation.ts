import type { ConnectionErrorCode, FhirVersion, TypeOutcome } from '@tributary/contracts';
import type { AddedResource } from '../added-resources';

/** What must hold after a collection from the sandbox with a scenario. */
export interface Expectation {
  /** The scenario, or several joined by `+`. */
  scenario: string | undefined;
  release?: FhirVersion;
  /** The requested scopes. Default: `patient/*.read` with those of the launch. */
  requestedScope?: string;
  /** A person for this scenario alone. */
  username?: string;
  /** Resources that are added to the record of the person, who is of this scenario alone. */
  adds?: (patientId: string) => AddedResource[];
  /** The scenario has resources of its own: the source is read with the scenario, too. */
  hasOwnResources?: true;
  /** No key (`Type/id`) of the record may match. */
  never?: RegExp;
  /** Keys that the record must have. */
  keys?: string[];
  /** Depends on time: collected before the others. */
  early?: boolean;
  /** Default: completed. */
  state?: 'completed' | 'failed' | 'needs_reauthorization';
  /** The reason of the failure. */
  error?: RegExp;
  errorCode?: ConnectionErrorCode;
  /** Only resources of these types may be missing. */
  partial?: string[];
  /** No resource of these types may exist. */
  absent?: string[];
  /** No reference leads to resources of these types: that they are missing is not reported. */
  unreachable?: string[];
  /** The scenario changes the content of resources: only their keys are compared. */
  rewritten?: boolean;
  warnings?: Record<string, RegExp>;
  outcomes?: Record<string, TypeOutcome>;
  /** Nothing is missing and no warning is reported, except for types that are not offered. */
  complete?: boolean;
  /** A status that some response must have had. */
  status?: string;
  /** A status that no response may have had; the person is of this scenario alone. */
  neverStatus?: string;
  /** The maximum number of different searches; a busy machine may repeat each. */
  maxSearches?: number;
  /** The minimum number of failed resources by type. */
  failed?: Record<string, number>;
  /** What user-management reads from the access token, by its claims. */
  searchParameters?: (claims: Record<string, string>) => Record<string, string>;
  /** The minimum number of token refreshes. */
  refreshes?: number;
  /** The maximum number of refreshes that are sent, refused ones included. Default: none. */
  maxRefreshes?: number;
  /**
   * Access tokens expire within the collection: those that are renewed for this reason do not count for the maximum.
   */
  tokensExpire?: true;
  /** Each pattern must match some resource. */
  some?: RegExp[];
}

/** The types of which a large record has several pages, and what only these refer to. */
export const paged = [
  'Observation',
  'Encounter',
  'Condition',
  'Procedure',
  'MedicationRequest',
  'MedicationStatement',
  'Immunization',
  'DiagnosticReport',
  'DocumentReference',
  'AllergyIntolerance',
  'RelatedPerson',
  'Practitioner',
  'Binary',
  'Medication',
  'Location',
  'Organization',
];

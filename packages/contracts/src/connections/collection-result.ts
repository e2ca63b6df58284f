import { z } from 'zod';
import { documentedEnum } from './documented-enum';

/** The result of the collection of one resource type. */
export const typeOutcomes = {
  pending: { meaning: 'The collection of the type has not ended.' },
  complete: { meaning: 'Everything that the health system offers was read.' },
  partial: { meaning: 'Something was read, and something may be missing.' },
  refused: { meaning: 'The health system refused to give the type.' },
  not_offered: { meaning: 'The health system does not offer the type, or it was not requested. Nothing is missing.' },
  failed: { meaning: 'A response was missing or could not be used. The next collection reads the type again.' },
} as const;

export type TypeOutcome = keyof typeof typeOutcomes;
export const typeOutcome = documentedEnum(typeOutcomes).meta({ id: 'TypeOutcome' });

interface WarningCode {
  /** The outcome of a type for which the warning is recorded; without it, the warning has no effect on the outcome. */
  outcome?: Exclude<TypeOutcome, 'pending' | 'complete'>;
  /** Without an outcome: somebody has to look at it although nothing is missing. */
  isWarning?: true;
  /** One sentence for developers of clients, or a few. */
  meaning: string;
}

/**
 * Why something may be missing from a resource type, or what was unusual, and the outcome that follows from it.
 * `infra/docs/errors.md` is generated from this.
 */
export const warningCodes = {
  not_granted: {
    outcome: 'refused',
    meaning: 'The user or the health system did not grant access to the type, although it was requested.',
  },
  search_refused: {
    outcome: 'refused',
    meaning:
      'Every search of the type, or the read of the patient, was answered with a 4xx status, 501 or an equivalent.',
  },
  patient_not_found: {
    outcome: 'refused',
    meaning: 'The read of the patient was answered with 404 or 410.',
  },
  no_patient_search: {
    outcome: 'refused',
    meaning: 'The health system offers no search of this type by patient, and refuses one.',
  },
  not_offered: { outcome: 'not_offered', meaning: 'The CapabilityStatement does not offer the type.' },
  not_requested: {
    outcome: 'not_offered',
    meaning:
      'The client application does not ask for the type, or our registration at the health system does not contain a scope for it.',
  },
  read_only: {
    outcome: 'partial',
    meaning:
      'The health system offers to read the type by id, but not to search for it. What no other resource refers to was not found.',
  },
  limited_search: {
    outcome: 'partial',
    meaning:
      'The search had to name categories, or another parameter; what has none of the named values was not found.',
  },
  granted_in_part: { outcome: 'partial', meaning: 'The granted scopes contain a part of the type only.' },
  included_in_part: {
    outcome: 'partial',
    meaning:
      'Resources of the type come with the searches of other types, and one of these did not return all of them.',
  },
  search_partly_refused: { outcome: 'partial', meaning: 'One of several searches of the type was refused.' },
  results_withheld: {
    outcome: 'partial',
    meaning:
      'An OperationOutcome among the results says that results were left out, for example with the code `suppressed`, `incomplete` or `too-costly`.',
  },
  entry_unreadable: { outcome: 'partial', meaning: 'An entry of a page was no resource.' },
  resource_not_stored: { outcome: 'partial', meaning: 'A resource was not stored, for example because it has no id.' },
  reference_refused: { outcome: 'partial', meaning: 'The target of a reference was refused (401, 403).' },
  reference_failed: {
    outcome: 'partial',
    meaning:
      'The target of a reference could not be read, or more than two targets do not exist and none of the type was read.',
  },
  attachment_refused: { outcome: 'partial', meaning: 'The health system refused an attachment (4xx).' },
  attachment_failed: {
    outcome: 'partial',
    meaning: 'An attachment could not be read, or more than two do not exist and none was read.',
  },
  attachment_at_other_host: {
    outcome: 'partial',
    meaning: 'The attachment is at another host, where the access token is never sent, or its address names no server.',
  },
  attachment_too_large: { outcome: 'partial', meaning: 'An attachment exceeds the size limit.' },
  no_response: { outcome: 'failed', meaning: 'There was no response within the time limit.' },
  server_error: { outcome: 'failed', meaning: '5xx, 408 or 429 to every attempt.' },
  response_unreadable: { outcome: 'failed', meaning: 'A successful response was no Bundle, or no JSON.' },
  response_too_large: { outcome: 'failed', meaning: 'A response exceeds the size limit.' },
  error_in_response: {
    outcome: 'failed',
    meaning: 'A successful response held an OperationOutcome with the severity `error` or `fatal`.',
  },
  paging_failed: { outcome: 'failed', meaning: 'A link to the next page cannot be followed, or the pages never end.' },
  access_lost: { outcome: 'failed', meaning: 'The health system refused a renewed access token.' },
  access_postponed: { outcome: 'failed', meaning: 'The health system does not renew the access token at the moment.' },
  address_forbidden: { outcome: 'failed', meaning: 'The address is not public, or not https.' },
  absence_unexplained: {
    meaning:
      'The record holds a resource that the searches did not return, and a read of it neither returned it nor was answered with 404 or 410. It is kept.',
  },
  reference_not_found: { meaning: 'The target of a reference does not exist (404, 410).' },
  attachment_not_found: { meaning: 'The address of an attachment does not exist (404, 410).' },
  health_system_warning: { meaning: 'An OperationOutcome with the severity `warning` was among the results.' },
  patient_changed: {
    isWarning: true,
    meaning:
      'The birth date, or the names and identifiers, of the Patient are others than before. The health system may have corrected them.',
  },
  search_restarted: { meaning: 'A paging session had expired; the search was restarted.' },
  page_size_refused: {
    meaning:
      'The health system refused the page size, or large pages did not come in time; the search was repeated with a smaller one, or none.',
  },
} as const satisfies Record<string, WarningCode>;

export type CollectionWarningCode = keyof typeof warningCodes;
export const collectionWarningCode = documentedEnum(warningCodes).meta({ id: 'ConnectionWarningCode' });

export const collectionWarning = z.object({
  code: collectionWarningCode,
  message: z.string().describe('One sentence. It contains no clinical value.'),
});
export type CollectionWarning = z.infer<typeof collectionWarning>;

const worstFirst = ['failed', 'refused', 'partial', 'not_offered'] as const;

/** The outcome of a type whose collection has ended with these warnings. */
export function outcomeOfWarnings(warnings: readonly Pick<CollectionWarning, 'code'>[]): TypeOutcome {
  const effects = new Set(warnings.map(({ code }): WarningCode['outcome'] => warningOf(code).outcome));
  return worstFirst.find((outcome) => effects.has(outcome)) ?? 'complete';
}

function warningOf(code: CollectionWarningCode): WarningCode {
  return warningCodes[code];
}

/** Whether a code only informs: nothing is missing, and nobody has to do anything. */
export function isInformation({ code }: Pick<CollectionWarning, 'code'>): boolean {
  const { outcome, isWarning } = warningOf(code);
  return outcome === 'not_offered' || (outcome === undefined && !isWarning);
}

/** Whether nothing is known to be missing from a record whose types ended with these outcomes. */
export function isCompleteRecord(types: readonly { outcome: TypeOutcome }[]): boolean {
  return types.every(({ outcome }) => outcome === 'complete' || outcome === 'not_offered');
}

/** Why a connection has failed, why its collection waits, or why the user must connect again. */
export const connectionErrorCodes = {
  patient_refused: { meaning: 'The health system refused to give the patient.' },
  everything_refused: { meaning: 'The health system refused every search.' },
  health_system_unavailable: {
    meaning: 'The health system does not respond, or responds with errors. The collection is retried.',
  },
  types_failed: { meaning: 'Some resource types could not be read. The collection is retried.' },
  access_lost: { meaning: 'The health system refused a renewed access token.' },
  needs_reauthorization: {
    meaning:
      'The health system no longer accepts the grant, or it expired without a refresh token. The user must connect again.',
  },
  client_not_accepted: {
    meaning: 'The health system refuses our client registration, or has none. The operator must correct it.',
  },
  address_forbidden: { meaning: 'The address of the health system is not public, or not https.' },
  internal_error: { meaning: 'The collection ended with an unexpected error of this service.' },
} as const;

export type ConnectionErrorCode = keyof typeof connectionErrorCodes;
export const connectionErrorCode = documentedEnum(connectionErrorCodes).meta({ id: 'ConnectionErrorCode' });

export const connectionError = z
  .object({ code: connectionErrorCode, message: z.string().describe('One sentence.') })
  .meta({ id: 'ConnectionError' });
export type ConnectionError = z.infer<typeof connectionError>;

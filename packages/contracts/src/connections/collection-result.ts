import { z } from 'zod';

/**
 * The result of the collection of one resource type.
 *
 * - `pending`: the collection of the type has not ended.
 * - `complete`: everything that the health system offers was read.
 * - `partial`: something was read, and something may be missing.
 * - `refused`: the health system refused to give the type.
 * - `not_offered`: the health system does not offer the type, or it was not requested. Nothing is missing.
 * - `failed`: a response was missing or could not be used. The next collection reads the type again.
 */
export const typeOutcome = z.enum(['pending', 'complete', 'partial', 'refused', 'not_offered', 'failed']);
export type TypeOutcome = z.infer<typeof typeOutcome>;

/** The outcome of a type for which a warning is recorded; undefined when the warning has no effect on it. */
interface WarningEffect {
  outcome?: Exclude<TypeOutcome, 'pending' | 'complete'>;
}

/** Why something may be missing from a resource type, or what was unusual, and the outcome that follows from it. */
const warningEffects = {
  /** The user or the health system did not grant access to the type, although it was requested. */
  not_granted: { outcome: 'refused' },
  /** Every search of the type, or the read of the patient, was answered with a 4xx status, 501 or an equivalent. */
  search_refused: { outcome: 'refused' },
  /** The health system offers no search of this type by patient, and refuses one. */
  no_patient_search: { outcome: 'refused' },
  /** The CapabilityStatement does not offer the type. */
  not_offered: { outcome: 'not_offered' },
  /** Our registration at the health system does not contain a scope for the type. */
  not_requested: { outcome: 'not_offered' },
  /** The search had to name categories, or another parameter; what has none of the named values was not found. */
  limited_search: { outcome: 'partial' },
  /** The granted scopes contain a part of the type only. */
  granted_in_part: { outcome: 'partial' },
  /** One of several searches of the type was refused. */
  search_partly_refused: { outcome: 'partial' },
  /** An OperationOutcome among the results says that results were left out, for example with the code `suppressed`. */
  results_withheld: { outcome: 'partial' },
  /** An entry of a page was no resource. */
  entry_unreadable: { outcome: 'partial' },
  /** A resource was not stored, for example because it has no id. */
  resource_not_stored: { outcome: 'partial' },
  /** The target of a reference was refused (401, 403). */
  reference_refused: { outcome: 'partial' },
  /** The target of a reference could not be read. */
  reference_failed: { outcome: 'partial' },
  attachment_refused: { outcome: 'partial' },
  attachment_failed: { outcome: 'partial' },
  /** The attachment is at another host. The access token is never sent there. */
  attachment_at_other_host: { outcome: 'partial' },
  attachment_too_large: { outcome: 'partial' },
  /** There was no response within the time limit. */
  no_response: { outcome: 'failed' },
  /** 5xx, 408 or 429 to every attempt. */
  server_error: { outcome: 'failed' },
  /** A successful response was no Bundle, or no JSON. */
  response_unreadable: { outcome: 'failed' },
  response_too_large: { outcome: 'failed' },
  /** A successful response held an OperationOutcome with the severity `error` or `fatal`. */
  error_in_response: { outcome: 'failed' },
  /** A link to the next page cannot be followed, or the pages never end. */
  paging_failed: { outcome: 'failed' },
  /** The health system refused a renewed access token. */
  access_lost: { outcome: 'failed' },
  /** The address is not public, or not https. */
  address_forbidden: { outcome: 'failed' },
  /** The target of a reference does not exist (404, 410). */
  reference_not_found: {},
  /** The address of an attachment does not exist (404, 410). */
  attachment_not_found: {},
  /** An OperationOutcome with the severity `warning` was among the results. */
  health_system_warning: {},
  /** A paging session had expired; the search was restarted. */
  search_restarted: {},
  /** The health system refused the page size; the search was repeated with a smaller one, or none. */
  page_size_refused: {},
} as const satisfies Record<string, WarningEffect>;

export type CollectionWarningCode = keyof typeof warningEffects;
export const collectionWarningCode = z.enum(
  Object.keys(warningEffects) as [CollectionWarningCode, ...CollectionWarningCode[]],
);

export const collectionWarning = z.object({
  code: collectionWarningCode,
  message: z.string().describe('One sentence. It contains no clinical value.'),
});
export type CollectionWarning = z.infer<typeof collectionWarning>;

const worstFirst = ['failed', 'refused', 'partial', 'not_offered'] as const;

/** The outcome of a type whose collection has ended with these warnings. */
export function outcomeOfWarnings(warnings: readonly Pick<CollectionWarning, 'code'>[]): TypeOutcome {
  const effects = new Set(warnings.map(({ code }): WarningEffect['outcome'] => effectOf(code).outcome));
  return worstFirst.find((outcome) => effects.has(outcome)) ?? 'complete';
}

function effectOf(code: CollectionWarningCode): WarningEffect {
  return warningEffects[code];
}

/** Whether nothing is known to be missing from a record whose types ended with these outcomes. */
export function isCompleteRecord(types: readonly { outcome: TypeOutcome }[]): boolean {
  return types.every(({ outcome }) => outcome === 'complete' || outcome === 'not_offered');
}

/** Why a connection has failed, or why its collection waits. */
export const connectionErrorCode = z.enum([
  /** The health system refused to give the patient. */
  'patient_refused',
  /** The health system refused every search. */
  'everything_refused',
  /** The health system does not respond, or responds with errors. The collection is retried. */
  'health_system_unavailable',
  /** Some resource types could not be read. The collection is retried. */
  'types_failed',
  /** The health system refused a renewed access token. */
  'access_lost',
  /** The health system no longer accepts the grant, or it expired without a refresh token. The user must connect again. */
  'needs_reauthorization',
  /** The health system refuses our client registration, or has none. The operator must correct it. */
  'client_not_accepted',
  /** The address of the health system is not public, or not https. */
  'address_forbidden',
  /** The collection ended with an unexpected error of this service. */
  'internal_error',
]);
export type ConnectionErrorCode = z.infer<typeof connectionErrorCode>;

export const connectionError = z.object({ code: connectionErrorCode, message: z.string().describe('One sentence.') });
export type ConnectionError = z.infer<typeof connectionError>;

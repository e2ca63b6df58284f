import { parsePrefer } from '@tributary/service-kit';
import type { FhirRequest } from './fhir-request';

type WithHeaders = Pick<FhirRequest, 'headers'>;

/**
 * Whether unsupported parameters are refused instead of ignored: `Prefer: handling=strict`
 * (https://hl7.org/fhir/R4/search.html#errors).
 */
export function isStrict({ headers }: WithHeaders): boolean {
  return parsePrefer(headers.prefer).get('handling') === 'strict';
}

/** The body that a write returns: `Prefer: return=…` (https://hl7.org/fhir/R4/http.html#ops). Default: the resource. */
export function returnPreference({ headers }: WithHeaders): 'representation' | 'minimal' | 'OperationOutcome' {
  switch (headers.prefer === undefined ? undefined : parsePrefer(headers.prefer).get('return')) {
    case 'minimal':
      return 'minimal';
    case 'operationoutcome':
      return 'OperationOutcome';
    default:
      return 'representation';
  }
}

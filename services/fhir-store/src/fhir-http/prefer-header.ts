import type { FhirRequest } from './fhir-request';

/** Whether what is not supported shall be refused instead of left out (`Prefer: handling=strict`). */
export function isStrict({ headers }: Pick<FhirRequest, 'headers'>): boolean {
  return preference(headers.prefer, 'handling') === 'strict';
}

/** What a write shall answer with (`Prefer: return=…`). */
export function returnPreference({
  headers,
}: Pick<FhirRequest, 'headers'>): 'representation' | 'minimal' | 'OperationOutcome' {
  const asked = preference(headers.prefer, 'return');
  return asked === 'minimal' || asked === 'OperationOutcome' ? asked : 'representation';
}

function preference(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(/[,;]/)) {
    const [key = '', value = ''] = part.split('=');
    if (key.trim().toLowerCase() === name) return value.trim().replaceAll('"', '');
  }
  return undefined;
}

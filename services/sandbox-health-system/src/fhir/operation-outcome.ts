import { mediaTypes, type Release } from '../releases';
import type { Reply } from '../scenarios/scenario';

/** A request that fails with an OperationOutcome. */
export class FhirProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    diagnostics: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(diagnostics);
  }
}

export type Severity = 'fatal' | 'error' | 'warning' | 'information';

/** The JSON of an OperationOutcome with one issue, the same in all three releases. */
export function operationOutcome(severity: Severity, code: string, diagnostics: string): string {
  return JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity, code, diagnostics }] });
}

/** A response with an OperationOutcome. */
export function problemReply(
  release: Release,
  status: number,
  code: string,
  diagnostics: string,
  headers: Record<string, string> = {},
): Reply {
  return {
    status,
    headers: { 'Content-Type': fhirContentType(release), ...headers },
    body: operationOutcome('error', code, diagnostics),
  };
}

export function fhirContentType(release: Release): string {
  return `${mediaTypes[release]}; charset=utf-8`;
}

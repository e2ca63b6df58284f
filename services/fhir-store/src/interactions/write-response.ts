import { typeOfCode } from '@tributary/record-storage';
import { stringifyJson } from '@tributary/fhir-json';
import type { Answer } from '../fhir-http/fhir-response';
import type { ReadingCall } from '../fhir-http/fhir-request';
import { outcomeOf } from '../fhir-http/fhir-error';
import { returnPreference } from '../fhir-http/prefer-header';

interface WrittenVersion {
  readonly typeCode: number;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly line: Buffer | string;
}

/** The answer to a write, with as much body as the caller prefers. */
export function writtenAnswer(
  call: ReadingCall,
  status: 200 | 201,
  { typeCode, id, version, lastUpdated, line }: WrittenVersion,
): Answer {
  const location = `${call.base}/${typeOfCode(typeCode)}/${id}/_history/${version}`;
  return { status, version, lastUpdated, location, body: bodyFor(call, line) };
}

function bodyFor(call: ReadingCall, line: Buffer | string): Answer['body'] {
  switch (returnPreference(call)) {
    case 'minimal':
      return undefined;
    case 'OperationOutcome':
      return stringifyJson(
        outcomeOf(call.release, [
          { severity: 'information', code: 'informational', diagnostics: 'The resource is stored.' },
        ]),
      );
    case 'representation':
      return line;
  }
}

import { FhirProblem } from './operation-outcome';

const json = /^(\*\/\*|application\/\*|application\/(fhir\+)?json|application\/json\+fhir|text\/json)$/;
const jsonFormat = /^(json|text\/json|application\/(fhir[+ ])?json|application\/json[+ ]fhir)$/;

/** Refuses clients that do not accept JSON. `_format` overrides the Accept header. */
export function requireJson(accept: string, format: string | null): void {
  if (format !== null) {
    if (!jsonFormat.test(format.split(';')[0]!.trim()))
      throw new FhirProblem(406, 'not-supported', 'only JSON is served here');
    return;
  }
  const wanted = accept
    .split(',')
    .map((part) => part.split(';')[0]!.trim())
    .filter((part) => part !== '');
  if (wanted.length > 0 && !wanted.some((part) => json.test(part)))
    throw new FhirProblem(406, 'not-supported', 'only JSON is served here');
}

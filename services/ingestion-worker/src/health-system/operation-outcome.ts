import { isJsonObject, parseJson } from '@tributary/fhir-json';

/**
 * The codes of the issues of an OperationOutcome (https://hl7.org/fhir/R4/valueset-issue-type.html). Empty when the
 * body is something else.
 */
export function issueCodesOf(body: Buffer): string[] {
  try {
    const outcome = parseJson(body.toString('utf8'));
    if (!isJsonObject(outcome) || !Array.isArray(outcome['issue'])) return [];
    return outcome['issue'].flatMap((issue) => {
      const code = isJsonObject(issue) ? issue['code'] : undefined;
      return typeof code === 'string' ? [code] : [];
    });
  } catch {
    return [];
  }
}

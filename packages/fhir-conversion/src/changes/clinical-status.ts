import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { crossVersionUrl } from '../rules/carrying';
import { addExtension } from '../rules/draft';
import type { Run } from '../rules/run';

/** What was entered in error has no clinical status in R4; that which it had is carried. */
export function withoutClinicalStatusInError(
  source: JsonObject,
  draft: JsonObject,
  sourceType: string,
  run: Run,
): void {
  const { clinicalStatus } = draft;
  if (source['verificationStatus'] !== 'entered-in-error' || !isJsonObject(clinicalStatus)) return;
  delete draft['clinicalStatus'];
  const [coding] = Array.isArray(clinicalStatus['coding']) ? clinicalStatus['coding'] : [];
  const { code, _code: beside } = isJsonObject(coding) ? coding : {};
  addExtension(draft, {
    url: crossVersionUrl(run.release, `${sourceType}.clinicalStatus`),
    valueCode: code,
    ...(beside !== undefined && { _valueCode: beside }),
  });
}

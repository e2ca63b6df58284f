import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { crossVersionUrl } from '../rules/extension-fallback';
import { addExtension } from '../rules/target-property';
import type { Context } from '../rules/context';

/**
 * R4 forbids a clinical status with the verification status entered-in-error (con-5, ait-2). It is moved to an
 * extension.
 */
export function withoutClinicalStatusInError(
  source: JsonObject,
  draft: JsonObject,
  sourceType: string,
  context: Context,
): void {
  const { clinicalStatus } = draft;
  if (source['verificationStatus'] !== 'entered-in-error' || !isJsonObject(clinicalStatus)) return;
  delete draft['clinicalStatus'];
  const [coding] = Array.isArray(clinicalStatus['coding']) ? clinicalStatus['coding'] : [];
  const { code, _code: beside } = isJsonObject(coding) ? coding : {};
  addExtension(draft, {
    url: crossVersionUrl(context.release, `${sourceType}.clinicalStatus`),
    valueCode: code,
    ...(beside !== undefined && { _valueCode: beside }),
  });
}

import type { JsonObject } from '@tributary/fhir-json';
import { crossVersionUrl } from '../rules/carrying';
import { addExtension, addModifierExtension } from '../rules/draft';
import type { Run } from '../rules/run';

/** Gives a draft the status that R4 has for what an element of its own said before. The status that it had is carried. */
export function supersedeStatus(
  source: JsonObject,
  draft: JsonObject,
  status: string,
  sourceType: string,
  run: Run,
): void {
  const original = source['status'];
  if (typeof original === 'string' && draft['status'] !== undefined)
    addExtension(draft, { url: crossVersionUrl(run.release, `${sourceType}.status`), valueCode: original });
  draft['status'] = status;
}

/**
 * What was not done has the status for it, unless it was entered in error: then the element that said so is carried.
 * `false` says no more than the status does.
 */
export function supersedeIfNegated(
  source: JsonObject,
  element: string,
  draft: JsonObject,
  status: string,
  sourceType: string,
  run: Run,
): void {
  if (source[element] !== true) return;
  if (draft['status'] === 'entered-in-error')
    addModifierExtension(draft, { url: crossVersionUrl(run.release, `${sourceType}.${element}`), valueBoolean: true });
  else supersedeStatus(source, draft, status, sourceType, run);
}

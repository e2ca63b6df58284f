import type { JsonObject } from '@tributary/fhir-json';
import { crossVersionUrl } from '../rules/extension-fallback';
import { addExtension, addModifierExtension } from '../rules/target-property';
import type { Context } from '../rules/context';

/** Sets the status that R4 has in place of a separate element. The original status is written to an extension. */
export function replaceStatus(
  source: JsonObject,
  draft: JsonObject,
  status: string,
  sourceType: string,
  context: Context,
): void {
  const original = source['status'];
  if (typeof original === 'string' && draft['status'] !== undefined)
    addExtension(draft, { url: crossVersionUrl(context.release, `${sourceType}.status`), valueCode: original });
  draft['status'] = status;
}

/**
 * Sets the status for an action that was not performed when the boolean `element` is true. A resource that was entered
 * in error keeps its status, and the element is written to a modifier extension. `false` is dropped, since the status
 * already has this meaning.
 */
export function replaceStatusIfNegated(
  source: JsonObject,
  element: string,
  draft: JsonObject,
  status: string,
  sourceType: string,
  context: Context,
): void {
  if (source[element] !== true) return;
  if (draft['status'] === 'entered-in-error')
    addModifierExtension(draft, {
      url: crossVersionUrl(context.release, `${sourceType}.${element}`),
      valueBoolean: true,
    });
  else replaceStatus(source, draft, status, sourceType, context);
}

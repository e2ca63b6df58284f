import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import type { Changes } from '../rules/change';

/** How releases before R4 write its element Meta.source. */
const SOURCE_EXTENSION = 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source';

/** The URI in a plain extension that stands for Meta.source. */
function sourceIn(extension: JsonValue): string | undefined {
  if (!isJsonObject(extension) || extension['url'] !== SOURCE_EXTENSION || Object.keys(extension).length !== 2)
    return undefined;
  return typeof extension['valueUri'] === 'string' ? extension['valueUri'] : undefined;
}

/** What had to be an extension becomes the element that R4 has for it. Of several the last counts, which was written by the latest system; the others stay. */
function completeMeta(_source: JsonObject, draft: JsonObject): void {
  const extensions = Array.isArray(draft['extension']) ? draft['extension'] : [];
  const last = extensions.findLastIndex((extension) => sourceIn(extension) !== undefined);
  const source = extensions[last] && sourceIn(extensions[last]);
  if (source === undefined) return;
  draft['source'] = source;
  const others = extensions.filter((_, i) => i !== last);
  if (others.length > 0) draft['extension'] = others;
  else delete draft['extension'];
}

export const meta: Changes = { completions: { Meta: completeMeta } };

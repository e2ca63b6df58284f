import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import type { ConversionRules } from '../rules/element-rule';

/** The extension by which releases before R4 represent Meta.source. */
const SOURCE_EXTENSION = 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source';

/** The URI of an extension for Meta.source; undefined when the extension has other members. */
function sourceIn(extension: JsonValue): string | undefined {
  if (!isJsonObject(extension) || extension['url'] !== SOURCE_EXTENSION || Object.keys(extension).length !== 2)
    return undefined;
  return typeof extension['valueUri'] === 'string' ? extension['valueUri'] : undefined;
}

/**
 * Moves the extension for Meta.source to the element. Of several extensions the last is moved, since the latest system
 * wrote it. The others remain extensions.
 */
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

export const meta: ConversionRules = { objects: { Meta: completeMeta } };

import { metaSourceExtension, sourceAddressExtension } from '@tributary/contracts';
import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { textOfHtml } from '../documents/markup';

/** Base64 content above this length is left out of answers. */
const maxDataLength = 200;
/** The characters of markup from which the text of a narrative is taken. */
const maxNarrativeLength = 100_000;
/** The elements of an Attachment: https://hl7.org/fhir/R4/datatypes.html#Attachment */
const attachmentElements = new Set(
  'id,extension,contentType,language,data,url,size,hash,title,creation,height,width,frames,duration,pages'.split(','),
);
const sourceExtensions = new Set([metaSourceExtension, sourceAddressExtension]);

/**
 * A resource without what a model has no use for. Left out are the versions of `meta`, and narratives of resources
 * whose status says that they are generated from the elements. Other narratives, such as those of the sections of a
 * Composition, are replaced by their text, and the data of Attachments and Binaries by a sentence.
 */
export function reduceResource(resource: JsonObject): JsonObject {
  const { meta, text, ...elements } = resource;
  const isGenerated = isNarrative(text) && ['generated', 'empty'].includes(String(text['status']));
  return reduceObject({
    ...elements,
    ...(text === undefined || isGenerated ? {} : { text }),
    ...(isJsonObject(meta) ? reducedMeta(meta) : {}),
  });
}

function reduceValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reduceValue);
  if (!isJsonObject(value)) return value;
  if (isNarrative(value)) return textOfHtml(value.div.slice(0, maxNarrativeLength)).text;
  return typeof value['resourceType'] === 'string' ? reduceResource(value) : reduceObject(value);
}

function reduceObject(object: JsonObject): JsonObject {
  const data = dataElementOf(object);
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      if (value === undefined) return [];
      if (name === data && typeof value === 'string' && value.length > maxDataLength)
        return [[name, `(${value.length} characters of base64 are left out; use read_document)`]];
      return [[name, reduceValue(value)]];
    }),
  );
}

/** The element with the base64 content of a Binary (`content` before R4) or of an Attachment. */
function dataElementOf(object: JsonObject): string | undefined {
  if (object['resourceType'] === 'Binary') return object['data'] === undefined ? 'content' : 'data';
  const names = Object.keys(object).map((name) => name.replace(/^_/, ''));
  return names.every((name) => attachmentElements.has(name)) ? 'data' : undefined;
}

function isNarrative(value: JsonValue | undefined): value is JsonObject & { div: string } {
  return isJsonObject(value) && typeof value['div'] === 'string';
}

/** Where the resource is from, and its security labels. */
function reducedMeta({ source, security, extension }: JsonObject): JsonObject {
  const sources = Array.isArray(extension)
    ? extension.filter((each) => isJsonObject(each) && sourceExtensions.has(String(each['url'])))
    : [];
  const kept: JsonObject = {
    ...(source === undefined ? {} : { source }),
    ...(security === undefined ? {} : { security }),
    ...(sources.length === 0 ? {} : { extension: sources }),
  };
  return Object.keys(kept).length === 0 ? {} : { meta: kept };
}

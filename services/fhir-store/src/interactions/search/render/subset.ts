import { type Release, elementModel } from '@tributary/fhir-definitions';
import { type Resource, stringifyJson } from '@tributary/fhir-json';
import { type ResultParameters, elementNames, keepElements, markSubsetted } from '@tributary/fhir-search';

/** The JSON of a part of a resource, tagged as SUBSETTED. */
export type Subset = (resource: Resource) => string;

const onlyText = new Set(['text']);

/** The part of resources that `_summary` or `_elements` requests; undefined when whole resources are requested. */
export function subsetOf(
  release: Release,
  { summary, elements }: Pick<ResultParameters, 'summary' | 'elements'>,
): Subset | undefined {
  if (elements && elements.length > 0)
    return (resource) => stringifyJson(keepElements(release, resource, elementNames(resource.resourceType, elements)));
  switch (summary) {
    case 'true':
      return (resource) =>
        stringifyJson(
          keepElements(release, resource, elementModel(release).type(resource.resourceType)?.summary ?? new Set()),
        );
    case 'text':
      return (resource) => stringifyJson(keepElements(release, resource, onlyText));
    case 'data':
      return ({ text: _text, _text: _textExtension, ...data }) => stringifyJson(markSubsetted(data));
    default:
      return undefined;
  }
}

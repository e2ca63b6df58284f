import { type Release, perRelease } from '@tributary/fhir-definitions';
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
        stringifyJson(keepElements(release, resource, summaryElements(release, resource.resourceType)));
    case 'text':
      return (resource) => stringifyJson(keepElements(release, resource, onlyText));
    case 'data':
      return ({ text: _text, _text: _textExtension, ...data }) => stringifyJson(markSubsetted(data));
    default:
      return undefined;
  }
}

const tables = perRelease((release) => {
  const { table } = require(`./summary/${release}`) as { table: string };
  return new Map(table.trim().split('\n').map(readLine));
});
const none: ReadonlySet<string> = new Set();

/** The summary properties of a resource type, by its definition: https://hl7.org/fhir/R4/search.html#summary. */
function summaryElements(release: Release, type: string): ReadonlySet<string> {
  return tables(release).get(type) ?? none;
}

function readLine(line: string): [string, ReadonlySet<string>] {
  const [type = '', names = ''] = line.split('\t');
  return [type, new Set(names.split(' '))];
}

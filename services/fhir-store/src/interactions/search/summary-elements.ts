import { perRelease, type Release } from '@tributary/fhir-definitions';

const tables = perRelease((release) => {
  const { table } = require(`./summary/${release}`) as { table: string };
  return new Map(table.trim().split('\n').map(readLine));
});
const none: ReadonlySet<string> = new Set();

/** The summary properties of a resource type, by its definition: https://hl7.org/fhir/R4/search.html#summary. */
export function summaryElements(release: Release, type: string): ReadonlySet<string> {
  return tables(release).get(type) ?? none;
}

function readLine(line: string): [string, ReadonlySet<string>] {
  const [type = '', names = ''] = line.split('\t');
  return [type, new Set(names.split(' '))];
}

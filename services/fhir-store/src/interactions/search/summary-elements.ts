import type { Release } from '@tributary/fhir-definitions';

const loaders: Record<Release, () => { table: string }> = {
  dstu2: () => require('./summary/dstu2') as typeof import('./summary/dstu2'),
  stu3: () => require('./summary/stu3') as typeof import('./summary/stu3'),
  r4: () => require('./summary/r4') as typeof import('./summary/r4'),
};
const loaded = new Map<Release, ReadonlyMap<string, ReadonlySet<string>>>();
const none: ReadonlySet<string> = new Set();

/** The properties that the summary of a resource type shows, as its definition marks them. */
export function summaryElements(release: Release, type: string): ReadonlySet<string> {
  let types = loaded.get(release);
  if (!types) {
    types = new Map(
      loaders[release]()
        .table.trim()
        .split('\n')
        .map((line) => readLine(line)),
    );
    loaded.set(release, types);
  }
  return types.get(type) ?? none;
}

function readLine(line: string): [string, ReadonlySet<string>] {
  const [type = '', names = ''] = line.split('\t');
  return [type, new Set(names.split(' '))];
}

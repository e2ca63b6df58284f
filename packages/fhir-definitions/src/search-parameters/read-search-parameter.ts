import type {
  CompositeComponent,
  PathStep,
  SearchParameter,
  SearchParameterType,
  SearchPath,
} from './search-parameter';

// The tables have one search parameter per line, in a section for each type, with columns separated by tabs:
//   code, type, URL (or its end), paths separated by `;`, targets (`*` = any), starts of a composite, its components
//   separated by ` & `.
// A path is `steps:type`, then `~Type` (only references to that type) or `=systems` (of a bound code). A step is a
// name, or name(Type) for a choice, followed by `*` when it repeats, `[0]` for an index, `[name=value]` for a filter.

const definitionUrl = 'http://hl7.org/fhir/SearchParameter/';
const stepPattern = /([A-Za-z0-9]+)(?:\(([A-Za-z0-9|]+)\))?(\*)?(?:\[(\d+)\]|\[(\w+)=([^\]]+)\])?(?:\.|$)/y;

/** Parses a row of a table. @throws Error when a path is malformed */
export function readSearchParameter(base: string, line: string): SearchParameter {
  const [code = '', type = '', url = '', paths = '', targets = '', starts = '', components = ''] = line.split('\t');
  return {
    base,
    code,
    type: type as SearchParameterType,
    url: url.startsWith('http') ? url : definitionUrl + url,
    paths: readPaths(paths),
    targets: targets === '' || targets === '*' ? [] : targets.split(','),
    starts: starts === '' ? [] : starts.split(';').map((start) => (start === '.' ? [] : readSteps(start).steps)),
    components: components === '' ? [] : components.split(' & ').map(readComponent),
  };
}

function readComponent(text: string): CompositeComponent {
  const [code = '', type = '', paths = ''] = text.split(' ');
  return { code, type: type as SearchParameterType, paths: readPaths(paths) };
}

function readPaths(text: string): SearchPath[] {
  return text === '' ? [] : text.split(';').map(readPath);
}

function readPath(text: string): SearchPath {
  const fromResource = text.startsWith('%');
  const { steps, end, anyOf } = readSteps(fromResource ? text.slice(1) : text);
  const [, type = '', resolvesTo, systems] = /^:(\w+)(?:~(\w+))?(?:=(.+))?$/.exec(end) ?? [];
  return {
    steps,
    type,
    ...(anyOf && { anyOf }),
    ...(resolvesTo !== undefined && { resolvesTo }),
    ...(systems !== undefined && { systems: systems.split(',') }),
    ...(fromResource && { fromResource }),
  };
}

function readSteps(text: string): { steps: PathStep[]; end: string; anyOf?: string[] } {
  const colon = endOfSteps(text);
  const path = text.slice(0, colon);
  const steps: PathStep[] = [];
  let anyOf: string[] | undefined;
  stepPattern.lastIndex = 0;
  while (stepPattern.lastIndex < path.length) {
    const match = stepPattern.exec(path);
    if (!match) throw new Error(`unreadable path in a search parameter table: ${text}`);
    const [, element = '', types, star, index, name, equals] = match;
    if (types?.includes('|')) anyOf = types.split('|').map((type) => element + type);
    steps.push({
      property: types === undefined || anyOf ? element : element + types,
      element,
      repeats: star !== undefined,
      ...(index !== undefined && { index: Number(index) }),
      ...(name !== undefined && equals !== undefined && { where: { name, equals } }),
    });
  }
  return { steps, end: text.slice(colon), ...(anyOf && { anyOf }) };
}

/** The index of the `:` after the steps. The value of a filter can contain colons. */
function endOfSteps(text: string): number {
  let inFilter = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '[') inFilter = true;
    else if (c === ']') inFilter = false;
    else if (c === ':' && !inFilter) return i;
  }
  return text.length;
}

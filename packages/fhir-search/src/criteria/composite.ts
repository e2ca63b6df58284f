import type { CompositeComponent, PathStep, SearchParameter } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonObject, type Resource } from '@tributary/fhir-json';
import type { Condition } from '../index/index-values';
import { elementKey, typeIndex, type IndexedPath } from '../index/element-index';
import { splitUnescaped } from '../query/escapes';
import { resolveParameter, targetsOf, type ResolvedParameter, type TypedParameter } from '../query/resolved-parameter';
import { SearchError } from '../search-error';
import { compileSteps, valuesAt } from '../values/element-paths';
import { allOf, anyOf, matchAll, type Criterion } from './criterion';
import { valueParsers } from './value-parsers';
import type { ValueContext, ValueTest } from './value-test';

/**
 * One value of a composite parameter (https://hl7.org/fhir/R4/search.html#composite): its components are separated by
 * `$` and must match within the same element. The index has no terms for composites. The terms of the components leave
 * few candidates, and decide alone when the common element is the resource itself.
 */
export function compositeCriterion(parameter: ResolvedParameter, text: string, context: ValueContext): Criterion {
  const byType = new Map(parameter.types.map((typed) => [typed.type, oneType(parameter, typed, text, context)]));
  const all = [...byType.values()];
  return {
    parameter: context.parameter,
    condition: anyOf(all.map((each) => each.condition)),
    exact: all.every((each) => each.exact),
    matches: (resource) => byType.get(resource.resourceType)?.matches(resource) ?? false,
  };
}

function oneType(
  parameter: ResolvedParameter,
  { type, definition }: TypedParameter,
  text: string,
  context: ValueContext,
): Criterion {
  const tests = parseParts(definition, text, context, (code) => {
    const component = resolveParameter(parameter.release, [type], code);
    return component ? targetsOf(component) : [];
  });
  const { byKey } = typeIndex(parameter.release, type);
  const indexed = (
    start: readonly PathStep[],
    { type: parameterType, paths }: CompositeComponent,
  ): (IndexedPath | undefined)[] =>
    paths.map((path) => {
      const index = byKey.get(
        elementKey(definition.base, path.fromResource ? path.steps : [...start, ...path.steps], parameterType),
      );
      return index && { path, index };
    });
  const ofStart = (start: readonly PathStep[]): { condition: Condition; exact: boolean } => {
    const parts = tests.map(({ component, test }) => {
      const paths = indexed(start, component);
      const known = paths.filter((path) => path !== undefined);
      const complete = known.length === paths.length;
      return {
        condition: complete ? anyOf(known.map((path) => test.condition(path))) : matchAll,
        exact:
          complete &&
          known.every(
            (path) =>
              test.exact(path) && path.index.paths.length === known.filter(({ index }) => index === path.index).length,
          ),
      };
    });
    return {
      condition: allOf(parts.map((part) => part.condition)),
      exact: start.length === 0 && parts.every((part) => part.exact),
    };
  };
  const starts = definition.starts.map(ofStart);
  return {
    parameter: context.parameter,
    condition: anyOf(starts.map((start) => start.condition)),
    exact: starts.every((start) => start.exact),
    matches: (resource) =>
      definition.starts.some((start) =>
        nodesAt(start, resource).some((node) => tests.every((each) => holds(each, node, resource))),
      ),
  };
}

interface PartTest {
  component: CompositeComponent;
  test: ValueTest;
}

function parseParts(
  { components }: SearchParameter,
  text: string,
  context: ValueContext,
  targets: (code: string) => readonly string[],
): PartTest[] {
  const parts = splitUnescaped(text, '$');
  if (parts.length !== components.length) {
    const form = components.map((component) => component.code).join('$');
    throw new SearchError(context.parameter, 'invalid', `${context.parameter} takes ${form}`);
  }
  return components.map((component, index) => {
    const read = valueParsers.get(component.type);
    if (!read) throw new SearchError(context.parameter, 'not-supported', `${context.parameter} cannot be searched`);
    return {
      component,
      test: read(parts[index] ?? '', {
        ...context,
        targets: component.type === 'reference' ? targets(component.code) : [],
      }),
    };
  });
}

function nodesAt(start: readonly PathStep[], resource: Resource): JsonObject[] {
  if (start.length === 0) return [resource];
  const nodes: JsonObject[] = [];
  compileSteps<JsonObject[]>(start, (value, into) => {
    if (isJsonObject(value)) into.push(value);
  })(resource, nodes);
  return nodes;
}

function holds({ component, test }: PartTest, node: JsonObject, resource: Resource): boolean {
  return component.paths.some((path) =>
    valuesAt(path, path.fromResource ? resource : node).some((value) => test.test(path, value)),
  );
}

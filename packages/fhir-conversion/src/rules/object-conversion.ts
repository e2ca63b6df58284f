import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible, unknownElement } from '../not-convertible';
import type { PropertyMove } from './occurrences';
import { MAX_DEPTH, type Run } from './run';

/** The comments of XML, which dstu2 lets through to JSON. They are no data. */
const COMMENTS = 'fhir_comments';
const UNDERSCORE = '_'.charCodeAt(0);

/** An element that R4 requires, with the properties one of which must be there. */
export interface RequiredElement {
  readonly path: string;
  readonly properties: readonly string[];
}

/** The steps by which objects of one source type become objects of an R4 type. */
export interface Steps {
  /** By the source's property; a primitive's companion has the same step as its value. */
  readonly properties: ReadonlyMap<string, PropertyMove>;
  /** What is done when all properties are moved. */
  readonly complete?: (source: JsonObject, draft: JsonObject, run: Run) => void;
  readonly required: readonly RequiredElement[];
}

/** The conversion of objects of one source type. Its steps are compiled when it is first used. */
export class ObjectConversion {
  private steps: Steps | undefined;

  constructor(
    private readonly sourceType: string,
    private readonly compile: () => Steps,
  ) {}

  /** A new object; nothing of the source's objects and arrays is shared. */
  convert(value: JsonValue, run: Run): JsonObject {
    const draft: JsonObject = {};
    this.convertInto(draft, value, run);
    return draft;
  }

  /** Adds what a source object holds to a draft. */
  convertInto(draft: JsonObject, value: JsonValue, run: Run): void {
    if (!isJsonObject(value)) throw new NotConvertible(`${this.sourceType} must be a JSON object.`);
    if (run.depth >= MAX_DEPTH) throw new NotConvertible(`Elements lie in each other deeper than ${MAX_DEPTH} levels.`);
    this.steps ??= this.compile();
    run.depth++;
    if (hasCompanions(value)) this.moveWithCompanions(this.steps, value, draft, run);
    else this.moveValues(this.steps, value, draft, run);
    this.steps.complete?.(value, draft, run);
    checkRequired(this.steps.required, draft);
    run.depth--;
  }

  private moveValues({ properties }: Steps, source: JsonObject, draft: JsonObject, run: Run): void {
    for (const name in source) {
      const value = source[name];
      if (value === undefined) continue;
      const move = properties.get(name);
      if (move !== undefined) move(value, undefined, draft, run);
      else if (name !== COMMENTS) throw unknownElement(this.sourceType, name);
    }
  }

  private moveWithCompanions({ properties }: Steps, source: JsonObject, draft: JsonObject, run: Run): void {
    for (const name in source) {
      const value = source[name];
      if (value === undefined) continue;
      const move = properties.get(name);
      const isCompanion = name.charCodeAt(0) === UNDERSCORE;
      if (move === undefined) {
        if (name !== COMMENTS) throw unknownElement(this.sourceType, name);
      } else if (!isCompanion) move(value, source[`_${name}`], draft, run);
      else if (source[name.slice(1)] === undefined) move(undefined, value, draft, run);
    }
  }
}

/** Few objects have ids or extensions beside their primitive values; the others are spared to look for them. */
function hasCompanions(source: JsonObject): boolean {
  for (const name in source) if (name.charCodeAt(0) === UNDERSCORE) return true;
  return false;
}

function checkRequired(required: readonly RequiredElement[], draft: JsonObject): void {
  for (const { path, properties } of required) {
    if (!isAnyThere(properties, draft))
      throw new NotConvertible(`R4 requires ${path}, and the resource has nothing for it that R4 knows.`);
  }
}

function isAnyThere(properties: readonly string[], draft: JsonObject): boolean {
  for (const property of properties) if (draft[property] !== undefined) return true;
  return false;
}

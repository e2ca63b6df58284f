import { isJsonObject, MAX_DEPTH, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible, unknownElement } from '../not-convertible';
import type { PropertyWriter } from './property-writer';
import type { Context } from './context';

/** DSTU2 represents XML comments in JSON. They are dropped. */
const COMMENTS = 'fhir_comments';
const UNDERSCORE = '_'.charCodeAt(0);

/** An element that R4 requires, with its properties in JSON, one of which must exist. */
export interface RequiredElement {
  readonly path: string;
  readonly properties: readonly string[];
}

/** The compiled conversion of objects of a source type to an R4 type. */
export interface CompiledObject {
  /** Writers by source property. A primitive and its companion `_name` have the same writer. */
  readonly properties: ReadonlyMap<string, PropertyWriter>;
  /** Called when all properties are written. */
  readonly complete?: (source: JsonObject, draft: JsonObject, context: Context) => void;
  readonly required: readonly RequiredElement[];
}

/** The conversion of objects of a source type. It is compiled by its first use, since types refer to each other. */
export class ObjectConversion {
  private steps: CompiledObject | undefined;

  constructor(
    private readonly sourceType: string,
    private readonly compile: () => CompiledObject,
  ) {}

  /** Converts to a new object, which shares no object or array with the source. */
  convert(value: JsonValue, context: Context): JsonObject {
    const draft: JsonObject = {};
    this.convertInto(draft, value, context);
    return draft;
  }

  /** Writes the elements of a source object into a draft. @throws NotConvertible */
  convertInto(draft: JsonObject, value: JsonValue, context: Context): void {
    if (!isJsonObject(value)) throw new NotConvertible(`${this.sourceType} must be a JSON object.`);
    if (context.depth >= MAX_DEPTH) throw new NotConvertible(`Elements are nested deeper than ${MAX_DEPTH} levels.`);
    this.steps ??= this.compile();
    context.depth++;
    if (hasCompanions(value)) this.writeWithCompanions(this.steps, value, draft, context);
    else this.writeValues(this.steps, value, draft, context);
    this.steps.complete?.(value, draft, context);
    checkRequired(this.steps.required, draft);
    context.depth--;
  }

  private writeValues({ properties }: CompiledObject, source: JsonObject, draft: JsonObject, context: Context): void {
    for (const name in source) {
      const value = source[name];
      if (value === undefined) continue;
      const write = properties.get(name);
      if (write !== undefined) write(value, undefined, draft, context);
      else if (name !== COMMENTS) throw unknownElement(this.sourceType, name);
    }
  }

  private writeWithCompanions(
    { properties }: CompiledObject,
    source: JsonObject,
    draft: JsonObject,
    context: Context,
  ): void {
    for (const name in source) {
      const value = source[name];
      if (value === undefined) continue;
      const write = properties.get(name);
      const isCompanion = name.charCodeAt(0) === UNDERSCORE;
      if (write === undefined) {
        if (name !== COMMENTS) throw unknownElement(this.sourceType, name);
      } else if (!isCompanion) write(value, source[`_${name}`], draft, context);
      else if (source[name.slice(1)] === undefined) write(undefined, value, draft, context);
    }
  }
}

/** Few objects have companions. Objects without them take a faster path. */
function hasCompanions(source: JsonObject): boolean {
  for (const name in source) if (name.charCodeAt(0) === UNDERSCORE) return true;
  return false;
}

function checkRequired(required: readonly RequiredElement[], draft: JsonObject): void {
  for (const { path, properties } of required) {
    if (!isAnyThere(properties, draft))
      throw new NotConvertible(`R4 requires ${path}, and the resource has no value for it that R4 allows.`);
  }
}

function isAnyThere(properties: readonly string[], draft: JsonObject): boolean {
  for (const property of properties) if (draft[property] !== undefined) return true;
  return false;
}

import { type Release, isResourceType, releases } from '@tributary/fhir-definitions';
import { isLogicalId, parseDateTimeParameter } from '@tributary/fhir-json';
import { SearchError } from '@tributary/fhir-search';
import { badRequest } from '@tributary/service-kit';
import type { LineSelection } from '../filters/line-selection';
import {
  type TypeFilter,
  UnusableTypeFilter,
  readTypeFilter,
  splitTypeFilters,
  typeFilterTest,
} from '../filters/type-filter';
import { typeCodesOf } from '../conversion/r4-type-codes';
import { isR4Requested } from './output-format';
import type { Preferences } from './preferences';

/** The parameters of an export. The scope of the data is not among them. */
export interface ExportRequest {
  /** Only these resource types, in every release that has them; all by default. */
  types?: readonly string[];
  /** Only versions written strictly after this time, in epoch milliseconds. */
  since?: number;
  /**
   * Converts resources of other releases to R4; an OperationOutcome reports those left out. `types` and `lines` then
   * apply to the converted resources.
   */
  inR4?: true;
  /** Filters of the lines. */
  lines?: LineSelection;
}

/** The names of the parameters that the request was made of. */
export function parametersOf({ types, since, inR4, lines = {} }: ExportRequest): string[] {
  const { releasePerSource, elements, typeFilters, patients } = lines;
  const values = {
    _type: types,
    _since: since,
    _outputFormat: inR4,
    _elements: elements,
    _typeFilter: typeFilters,
    _releasePerSource: releasePerSource,
    patient: patients,
  };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** Names and values in the order of the request. A list is written as repetitions, with commas, or both. */
export type ParameterPairs = readonly (readonly [string, string])[];

/** The parameters that exports support. */
export const supportedParameters: ReadonlySet<string> = new Set([
  '_type',
  '_since',
  '_outputFormat',
  '_elements',
  '_typeFilter',
  '_releasePerSource',
  'patient',
]);

/**
 * Parameters of the guide without which the files have another content or form than the client expects. They are not
 * ignored unless the client allows that (https://hl7.org/fhir/uv/bulkdata/export.html#query-parameters).
 */
const changingOutput = new Set(['includeAssociatedData', 'organizeOutputBy']);

/** The name of a parameter in a message. */
function nameOf(name: string): string {
  return /^[\w.:-]{1,64}$/.test(name) ? name : 'a parameter that is not a name';
}

/**
 * Reads the parameters of an export: https://hl7.org/fhir/uv/bulkdata/export.html#query-parameters.
 * @param inBody whether the parameters are from a request body; only there `patient` is allowed
 * @throws HttpError 400 for invalid parameters, and with `Prefer: handling=strict` for unsupported ones
 */
export function readExportRequest(pairs: ParameterPairs, { handling }: Preferences, inBody = false): ExportRequest {
  const valuesOf = (name: string): string[] => pairs.filter(([key]) => key === name).map(([, value]) => value);
  const unsupported = [...new Set(pairs.map(([name]) => name))].filter((name) => !supportedParameters.has(name));
  if (handling === 'strict' && unsupported.length > 0)
    throw badRequest(`${unsupported.map(nameOf).join(', ')}: not supported; Prefer: handling=strict ignores nothing`);
  const refused = unsupported.filter((name) => changingOutput.has(name));
  if (handling !== 'lenient' && refused.length > 0)
    throw badRequest(`${refused.join(', ')}: not supported; Prefer: handling=lenient leaves it out`);
  const inR4 = isR4Requested(valuesOf('_outputFormat'));
  const types = readTypes(valuesOf('_type'));
  const since = readSince(valuesOf('_since'));
  const elements = readElements(valuesOf('_elements'));
  const typeFilters = readTypeFilters(valuesOf('_typeFilter'), inR4 ? ['r4'] : releases);
  const patients = readPatients(valuesOf('patient'), inBody);
  const releasePerSource = readReleasePerSource(valuesOf('_releasePerSource'), inR4 === true, handling);
  const lines: LineSelection = {
    ...(releasePerSource ? { releasePerSource } : {}),
    ...(elements ? { elements } : {}),
    ...(typeFilters ? { typeFilters } : {}),
    ...(patients ? { patients } : {}),
  };
  return {
    ...(types ? { types } : {}),
    ...(since === undefined ? {} : { since }),
    ...(inR4 ? { inR4 } : {}),
    ...(Object.keys(lines).length > 0 ? { lines } : {}),
  };
}

function listOf(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => value.split(',')).map((value) => value.trim()))];
}

function readTypes(values: readonly string[]): string[] | undefined {
  if (values.length === 0) return undefined;
  const types = listOf(values);
  if (types.some((type) => typeCodesOf(type).length === 0))
    throw badRequest('_type: must be resource types of FHIR DSTU2, STU3 or R4');
  return types;
}

function readSince(values: readonly string[]): number | undefined {
  const [value, ...more] = values;
  if (value === undefined) return undefined;
  const since = parseDateTimeParameter(value);
  if (since === undefined || since.lacksZone || more.length > 0)
    throw badRequest('_since: must be one FHIR date, dateTime or instant');
  return since.low;
}

/** Resources in their own release are not alternatives of each other, so that the parameter is for exports in R4. */
function readReleasePerSource(
  values: readonly string[],
  inR4: boolean,
  handling: Preferences['handling'],
): 'newest' | undefined {
  if (values.length === 0) return undefined;
  if (values.some((value) => value !== 'newest')) throw badRequest('_releasePerSource: must be newest');
  if (inR4) return 'newest';
  if (handling === 'lenient') return undefined;
  throw badRequest(
    '_releasePerSource: is a parameter of exports with _outputFormat=application/fhir+ndjson;fhirVersion=4.0: Prefer: handling=lenient leaves it out',
  );
}

function readElements(values: readonly string[]): string[] | undefined {
  if (values.length === 0) return undefined;
  const elements = listOf(values);
  const isElement = (text: string): boolean => {
    const [, type, name] = /^(?:([A-Z][A-Za-z]*)\.)?([a-z][A-Za-z0-9]*)$/.exec(text) ?? [];
    return name !== undefined && (type === undefined || typeCodesOf(type).length > 0);
  };
  if (!elements.every(isElement))
    throw badRequest('_elements: must be names of elements such as status or Observation.status');
  return elements;
}

/** @param among the releases; each search must exist in at least one of them */
function readTypeFilters(values: readonly string[], among: readonly Release[]): string[] | undefined {
  if (values.length === 0) return undefined;
  const texts = values.flatMap(splitTypeFilters);
  for (const text of texts) {
    const filter = readTypeFilter(text);
    if (!filter || !isSearch(filter, among))
      throw badRequest('_typeFilter: must be searches such as Observation?status=final, with parameters of the type');
  }
  return texts;
}

/** Whether any of the releases has the search. The manifest reports resources of the releases that lack it. */
function isSearch(filter: TypeFilter, among: readonly Release[]): boolean {
  return among
    .filter((release) => isResourceType(release, filter.type))
    .some((release) => {
      try {
        typeFilterTest(release, filter, Date.now());
        return true;
      } catch (error) {
        if (error instanceof UnusableTypeFilter) throw badRequest(error.message);
        if (error instanceof SearchError) return false;
        throw error;
      }
    });
}

function readPatients(values: readonly string[], inBody: boolean): string[] | undefined {
  if (values.length === 0) return undefined;
  if (!inBody) throw badRequest('patient: send it in the body of a POST');
  return [
    ...new Set(
      values.map((value) => {
        const id = value.trim().replace(/^Patient\//, '');
        if (!isLogicalId(id)) throw badRequest('patient: must be references such as Patient/123');
        return id;
      }),
    ),
  ];
}

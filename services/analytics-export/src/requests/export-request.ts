import { badRequest } from '@tributary/service-kit';
import { kindsOfType } from './kinds-of-types';
import { readMoment } from './moment';
import type { Preferences } from './preferences';

/** What an export shall hold, beside its scope. */
export interface ExportRequest {
  /** Only these resource types, in every release that knows them; all by default. */
  types?: readonly string[];
  /** Only what was written strictly after this time. */
  since?: number;
}

/** The parameters of an export, in their order; a list may come as repeats, as commas, or both. */
export type ParameterPairs = readonly (readonly [string, string])[];

const known = new Set(['_type', '_since', '_outputFormat']);

/** @throws HttpError 400 for what is wrong, and under `Prefer: handling=strict` for what is not supported */
export function readExportRequest(pairs: ParameterPairs, { handling }: Preferences): ExportRequest {
  const valuesOf = (name: string): string[] => pairs.filter(([key]) => key === name).map(([, value]) => value);
  const unknown = pairs.find(([name]) => !known.has(name));
  if (unknown && handling === 'strict') throw badRequest('a parameter is not supported: under Prefer: handling=strict nothing is ignored');
  if (handling !== 'lenient' && pairs.some(([name]) => name === 'includeAssociatedData')) throw badRequest('includeAssociatedData is not supported: Prefer: handling=lenient leaves it out');
  checkOutputFormat(valuesOf('_outputFormat'));
  const types = readTypes(valuesOf('_type'));
  const since = readSince(valuesOf('_since'));
  return { ...(types ? { types } : {}), ...(since === undefined ? {} : { since }) };
}

function readTypes(values: readonly string[]): string[] | undefined {
  if (values.length === 0) return undefined;
  const types = [...new Set(values.flatMap((value) => value.split(',')).map((type) => type.trim()))];
  if (types.some((type) => kindsOfType(type).length === 0)) throw badRequest('_type: must be resource types of FHIR DSTU2, STU3 or R4');
  return types;
}

function readSince(values: readonly string[]): number | undefined {
  const [value, ...more] = values;
  if (value === undefined) return undefined;
  const since = readMoment(value);
  if (since === undefined || more.length > 0) throw badRequest('_since: must be one FHIR date, dateTime or instant');
  return since;
}

const ndjson = new Set(['application/fhir+ndjson', 'application/ndjson', 'ndjson']);

/** A plus sign that nobody encoded comes as a blank. */
function checkOutputFormat(values: readonly string[]): void {
  if (values.some((value) => !ndjson.has(value.trim().replace(' ', '+').toLowerCase()))) throw badRequest('_outputFormat: must be application/fhir+ndjson, application/ndjson or ndjson');
}

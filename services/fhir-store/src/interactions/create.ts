import { type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { kindOf } from '@tributary/record-storage';
import type { Answer } from '../http/answer';
import type { Call } from '../http/call';
import { contentOf } from '../records/resource-content';
import { newResourceId } from '../records/resource-id';
import { birthDateAsTimestamp } from './birth-date-as-timestamp';
import { validResource } from './read-resource';
import { writtenAnswer } from './written-answer';

/** `POST /{release}/{Type}`: stores a valid resource under an id of ours; a submitted id is ignored. */
export async function create(call: Call, type: string): Promise<Answer> {
  const resource = validResource(call, type, withoutId(await call.body()));
  const written = await call.record.create(kindOf(call.release, type), newResourceId(), contentOf(call.release, resource));
  const line = type === 'Patient' ? birthDateAsTimestamp(written.line) : written.line;
  return writtenAnswer(call, 201, { ...written, line });
}

/** Whatever id was submitted, and in whatever form, it counts for nothing. */
function withoutId(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value['id'] === undefined) return value;
  const { id: _id, ...others } = value;
  return others;
}

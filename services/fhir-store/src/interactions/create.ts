import { type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../fhir-http/fhir-response';
import type { Call } from '../fhir-http/fhir-request';
import { returnPreference } from '../fhir-http/prefer-header';
import { clientContent } from '../resources/resource-content';
import { newResourceId } from '../resources/resource-id';
import { birthDateAsTimestamp } from './birth-date-as-timestamp';
import { conditionalCreate } from './conditional/conditional-create';
import { validResource } from './valid-resource';
import { writtenAnswer } from './write-response';

/** `POST /{release}/{Type}`: stores a valid resource under an id of ours; a submitted id is ignored. */
export async function create(call: Call, type: string): Promise<Answer> {
  const resource = validResource(call, type, withoutId(await call.body()));
  const { ifNoneExist } = call.headers;
  const answer =
    ifNoneExist === undefined
      ? writtenAnswer(
          call,
          201,
          await call.record.create(typeCodeOf(call.release, type), newResourceId(), clientContent(call, resource)),
        )
      : await conditionalCreate(call, type, resource, ifNoneExist);
  const showsPatient = type === 'Patient' && answer.status === 201 && returnPreference(call) === 'representation';
  return showsPatient ? { ...answer, body: birthDateAsTimestamp(answer.body as Buffer) } : answer;
}

/** Whatever id was submitted, and in whatever form, it counts for nothing. */
function withoutId(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value['id'] === undefined) return value;
  const { id: _id, ...others } = value;
  return others;
}

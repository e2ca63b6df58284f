import { type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { typeCodeOf } from '@tributary/record-storage';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { returnPreference } from '../fhir-http/prefer-header';
import { clientContent } from '../resources/resource-content';
import { newResourceId } from '../resources/resource-id';
import { conditionalCreate } from './conditional/conditional';
import { storingContent } from './large-content';
import { birthDateAsTimestamp } from './patient-birth-date';
import { validResource } from './valid-resource';
import { writeResponse } from './write-response';

/**
 * `POST /{release}/{Type}`: stores a resource under a new id (https://hl7.org/fhir/R4/http.html#create). A submitted id
 * is ignored.
 * @throws FhirError 400 when the body is not a resource of the type, 422 when it is invalid
 */
export async function create(request: FhirRequest, type: string): Promise<FhirResponse> {
  const submitted = withoutId(await request.body());
  return storingContent(request.record, [submitted], ([body]) => createWith(request, type, body));
}

async function createWith(request: FhirRequest, type: string, body: JsonValue | undefined): Promise<FhirResponse> {
  const resource = validResource(request, type, body);
  const { ifNoneExist } = request.headers;
  const response =
    ifNoneExist === undefined
      ? writeResponse(
          request,
          201,
          await request.record.create(
            typeCodeOf(request.release, type),
            newResourceId(),
            clientContent(request, resource),
          ),
        )
      : await conditionalCreate(request, type, resource, ifNoneExist);
  const returnsPatient =
    type === 'Patient' && response.status === 201 && returnPreference(request) === 'representation';
  return returnsPatient && request.release === 'dstu2'
    ? { ...response, body: birthDateAsTimestamp(response.body as Buffer) }
    : response;
}

/** Removes a submitted id of any JSON type. */
function withoutId(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value['id'] === undefined) return value;
  const { id: _id, ...others } = value;
  return others;
}

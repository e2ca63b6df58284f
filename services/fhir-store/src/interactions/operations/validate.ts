import { stringifyJson } from '@tributary/fhir-json';
import { operationOutcome, recognizeResource, validateResource } from '@tributary/fhir-validation';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { badRequest, outcomeOf } from '../../fhir-http/fhir-error';
import { parseResource } from '../../resources/resource-content';
import { storedJson } from '../read';
import { withBirthDateAsDate } from '../patient-birth-date';
import { assertFewMembers } from '../valid-resource';
import { isParameters, parameterIn } from './parameters';

/**
 * `POST /{release}/{Type}[/{id}]/$validate`: validates a resource without storing it
 * (https://hl7.org/fhir/R4/resource-operation-validate.html). With an id, the mode `delete` needs no resource in the
 * body, because every stored resource can be deleted.
 * @throws FhirError 400 without a resource of the type, 413 when it has too many members, 404 or 410 in the mode
 * `delete` without a stored resource
 */
export async function validate(request: FhirRequest, type: string, id?: string): Promise<FhirResponse> {
  const body = await request.body();
  const isWrapped = isParameters(body) && type !== 'Parameters';
  const value = isWrapped ? parameterIn(body, 'resource') : body;
  if (value === undefined) {
    const mode = (isWrapped ? parameterIn(body, 'mode') : undefined) ?? request.query.get('mode');
    if (mode === 'delete' && id !== undefined) return validateDeletion(request, type, id);
    throw badRequest('the parameter `resource` is missing', 'required');
  }
  const { resource, issue } = recognizeResource(request.release, value);
  if (resource && resource.resourceType !== type)
    throw badRequest(`the resource is not of the type of the address, ${type}`);
  if (resource) assertFewMembers(resource);
  const issues = resource ? validateResource(request.release, withBirthDateAsDate(resource)) : [issue];
  return { status: 200, body: stringifyJson(operationOutcome(request.release, issues)) };
}

/**
 * `GET /{release}/{Type}/{id}/$validate`: validates a stored resource.
 * @throws FhirError 404 or 410 without the resource
 */
export async function validateStored(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  const json = await storedJson(request, type, id);
  return {
    status: 200,
    body: stringifyJson(operationOutcome(request.release, validateResource(request.release, parseResource(json)))),
  };
}

async function validateDeletion(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  await storedJson(request, type, id);
  return {
    status: 200,
    body: stringifyJson(
      outcomeOf(request.release, [
        { severity: 'information', code: 'informational', diagnostics: 'The resource can be deleted.' },
      ]),
    ),
  };
}

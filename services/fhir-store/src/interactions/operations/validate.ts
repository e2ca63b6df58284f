import { stringifyJson } from '@tributary/fhir-json';
import { operationOutcome, recognizeResource, validateResource } from '@tributary/fhir-validation';
import { typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../../fhir-http/fhir-response';
import type { Call } from '../../fhir-http/fhir-request';
import { badRequest, outcomeOf } from '../../fhir-http/fhir-error';
import { isResourceId } from '../../resources/resource-id';
import { parseLine } from '../../resources/stored-resource';
import { versionAnswer } from '../read';
import { isParameters, parameterIn } from './parameters';

/**
 * `POST /{release}/{Type}/$validate`, on an id or without: what would be said of the resource if it were stored. In the mode `delete`, on an id, there need be no resource:
 * whatever is stored can be deleted.
 */
export async function validate(call: Call, type: string, id?: string): Promise<Answer> {
  const body = await call.body();
  const isWrapped = isParameters(body) && type !== 'Parameters';
  const value = isWrapped ? parameterIn(body, 'resource') : body;
  if (value === undefined) {
    const mode = (isWrapped ? parameterIn(body, 'mode') : undefined) ?? call.query.get('mode');
    if (mode === 'delete' && id !== undefined) return validateDeletion(call, type, id);
    throw badRequest('the parameter `resource` is missing', 'required');
  }
  const { resource, issue } = recognizeResource(call.release, value);
  if (resource && resource.resourceType !== type)
    throw badRequest(`the resource is not of the type of the address, ${type}`);
  const issues = resource ? validateResource(call.release, resource) : [issue];
  return { status: 200, body: stringifyJson(operationOutcome(call.release, issues)) };
}

/** `GET /{release}/{Type}/{id}/$validate`: the same of a stored resource. */
export async function validateStored(call: Call, type: string, id: string): Promise<Answer> {
  const line = await storedLine(call, type, id);
  return {
    status: 200,
    body: stringifyJson(operationOutcome(call.release, validateResource(call.release, parseLine(line)))),
  };
}

async function validateDeletion(call: Call, type: string, id: string): Promise<Answer> {
  await storedLine(call, type, id);
  return {
    status: 200,
    body: stringifyJson(
      outcomeOf(call.release, [
        { severity: 'information', code: 'informational', diagnostics: 'The resource can be deleted.' },
      ]),
    ),
  };
}

/** @throws FhirError 404 or 410 where there is none */
async function storedLine(call: Call, type: string, id: string): Promise<Buffer> {
  const stored = isResourceId(id) ? await call.record.read(typeCodeOf(call.release, type), id) : undefined;
  return versionAnswer({ ...call, headers: {} }, type, stored).body as Buffer;
}

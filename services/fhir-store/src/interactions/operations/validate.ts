import { stringifyJson } from '@tributary/fhir-json';
import { operationOutcome, recognizeResource, validateResource } from '@tributary/fhir-validation';
import { kindOf } from '@tributary/record-storage';
import type { Answer } from '../../http/answer';
import type { Call } from '../../http/call';
import { badRequest } from '../../http/fhir-error';
import { isResourceId } from '../../records/resource-id';
import { parseLine } from '../../records/stored-resource';
import { versionAnswer } from '../read';
import { isParameters, parameterIn } from './parameters';

/** `POST /{release}/{Type}/$validate`: what would be said of the resource if it were stored. */
export async function validate(call: Call, type: string): Promise<Answer> {
  const body = await call.body();
  const value = isParameters(body) && type !== 'Parameters' ? parameterIn(body, 'resource') : body;
  if (value === undefined) throw badRequest('the parameter `resource` is missing', 'required');
  const { resource, issue } = recognizeResource(call.release, value);
  if (resource && resource.resourceType !== type) throw badRequest(`the resource is not of the type of the address, ${type}`);
  const issues = resource ? validateResource(call.release, resource) : [issue];
  return { status: 200, body: stringifyJson(operationOutcome(call.release, issues)) };
}

/** `GET /{release}/{Type}/{id}/$validate`: the same of a stored resource. */
export async function validateStored(call: Call, type: string, id: string): Promise<Answer> {
  const stored = isResourceId(id) ? await call.record.read(kindOf(call.release, type), id) : undefined;
  const { body } = versionAnswer({ ...call, headers: {} }, type, stored);
  return { status: 200, body: stringifyJson(operationOutcome(call.release, validateResource(call.release, parseLine(body as Buffer)))) };
}

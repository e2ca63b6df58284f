import { everythingOfPatient, everythingOfPatients } from '../interactions/operations/everything';
import { lastn } from '../interactions/operations/lastn';
import { changeMeta, metaInUse, metaOf } from '../interactions/operations/meta';
import { operationInput } from '../interactions/operations/parameters';
import { validate, validateStored } from '../interactions/operations/validate';
import type { Answer } from '../fhir-http/fhir-response';
import type { Call } from '../fhir-http/fhir-request';
import type { Methods } from './routes';

/** Operations on the whole record. */
export function systemOperation(name: string): Methods | undefined {
  return name === '$meta' ? { GET: (call) => metaInUse(call, []) } : undefined;
}

/** Operations on a resource type. */
export function typeOperation(type: string, name: string): Methods | undefined {
  switch (name) {
    case '$validate':
      return { POST: (call) => validate(call, type) };
    case '$meta':
      return { GET: (call) => metaInUse(call, [type]) };
    case '$everything':
      return type === 'Patient' ? reading(everythingOfPatients) : undefined;
    case '$lastn':
      return type === 'Observation' ? reading(lastn) : undefined;
    default:
      return undefined;
  }
}

/** Operations on one resource. */
export function instanceOperation(type: string, id: string, name: string): Methods | undefined {
  switch (name) {
    case '$everything':
      return type === 'Patient' ? reading((call, input) => everythingOfPatient(call, id, input)) : undefined;
    case '$validate':
      return { GET: (call) => validateStored(call, type, id), POST: (call) => validate(call, type, id) };
    case '$meta':
      return { GET: (call) => metaOf(call, type, id) };
    case '$meta-add':
      return { POST: (call) => changeMeta(call, type, id, 'add') };
    case '$meta-delete':
      return { POST: (call) => changeMeta(call, type, id, 'delete') };
    default:
      return undefined;
  }
}

/** Whether an operation, named at the end of its place, answers with a searchset. */
export function findsResources(place: string): boolean {
  return place.endsWith('$everything') || place.endsWith('$lastn');
}

/** An operation that changes nothing: its input stands in the address, or is posted. */
function reading(run: (call: Call, input: URLSearchParams) => Promise<Answer>): Methods {
  return {
    GET: async (call) => run(call, await operationInput(call, 'GET')),
    POST: async (call) => run(call, await operationInput(call, 'POST')),
  };
}

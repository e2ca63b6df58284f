import { counts } from '../interactions/operations/counts';
import { everythingOfPatient, everythingOfPatients } from '../interactions/operations/everything';
import { lastn } from '../interactions/operations/lastn';
import { changeMeta, metaInUse, metaOf } from '../interactions/operations/meta';
import { operationInput } from '../interactions/operations/parameters';
import { validate, validateStored } from '../interactions/operations/validate';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';

/** The interactions of a path by HTTP method. */
export type Methods = Readonly<Record<string, (request: FhirRequest) => Promise<FhirResponse>>>;

/** Operations on the whole record. */
export function systemOperation(name: string): Methods | undefined {
  switch (name) {
    case '$meta':
      return { GET: (request) => metaInUse(request, []) };
    case '$counts':
      return { GET: counts };
    default:
      return undefined;
  }
}

/** Operations on a resource type. */
export function typeOperation(type: string, name: string): Methods | undefined {
  switch (name) {
    case '$validate':
      return { POST: (request) => validate(request, type) };
    case '$meta':
      return { GET: (request) => metaInUse(request, [type]) };
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
      return type === 'Patient' ? reading((request, input) => everythingOfPatient(request, id, input)) : undefined;
    case '$validate':
      return { GET: (request) => validateStored(request, type, id), POST: (request) => validate(request, type, id) };
    case '$meta':
      return { GET: (request) => metaOf(request, type, id) };
    case '$meta-add':
      return { POST: (request) => changeMeta(request, type, id, 'add') };
    case '$meta-delete':
      return { POST: (request) => changeMeta(request, type, id, 'delete') };
    default:
      return undefined;
  }
}

/** Whether the operation at the end of a path returns a searchset. */
export function findsResources(path: string): boolean {
  return path.endsWith('$everything') || path.endsWith('$lastn');
}

/** An operation without effects: its input is in the URL or in a posted Parameters resource. */
function reading(run: (request: FhirRequest, input: URLSearchParams) => Promise<FhirResponse>): Methods {
  return {
    GET: async (request) => run(request, await operationInput(request, 'GET')),
    POST: async (request) => run(request, await operationInput(request, 'POST')),
  };
}

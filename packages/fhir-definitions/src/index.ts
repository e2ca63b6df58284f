export { fhirVersionOf, isRelease, releases, type Release } from './release';
export { isResourceType, resourceTypes, searchParameters } from './search-parameters';
export type { CompositeComponent, PathStep, SearchParameter, SearchParameterType, SearchPath } from './search-parameters';
export { typeCode, typeOfCode } from './search-parameters/type-code';
export { compartment } from './compartments';

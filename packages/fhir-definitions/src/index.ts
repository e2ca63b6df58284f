export { fhirVersionOf, isRelease, releases, type Release } from './release';
export { perRelease } from './per-release';
export { isResourceType, numberOfType, resourceTypes, typeOfNumber } from './resource-types';
export { searchParameters } from './search-parameters';
export type {
  CompositeComponent,
  PathStep,
  SearchParameter,
  SearchParameterType,
  SearchPath,
} from './search-parameters';
export { compartment } from './compartments';
export {
  elementModel,
  type ElementBinding,
  type ElementDefinition,
  type ElementModel,
  type ElementProperty,
  type ElementType,
  type ElementTypeUse,
  type TypeKind,
} from './elements';
export {
  codeSystemOf,
  releaseCodeSystem,
  releaseValueSet,
  type CodeRelation,
  type CodeSystem,
  type CodeTree,
  type ValueSetPart,
  type ValueSetTable,
} from './terminology';

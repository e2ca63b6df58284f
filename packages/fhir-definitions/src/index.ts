export { fhirVersionOf, isRelease, releases, type Release } from './release';
export { isResourceType, resourceTypes, searchParameters } from './search-parameters';
export type {
  CompositeComponent,
  PathStep,
  SearchParameter,
  SearchParameterType,
  SearchPath,
} from './search-parameters';
export { typeCode, typeOfCode } from './search-parameters/type-code';
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
  releaseValueSets,
  type CodeRelation,
  type CodeSystem,
  type CodeTree,
  type ValueSetPart,
  type ValueSetTable,
} from './terminology';

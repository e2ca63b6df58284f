export { CONVERSION_SYSTEM } from './conversion-tag';
export { convertedType } from './code-maps/resource-types';
export { convertToR4, isConvertible, type Conversion } from './convert-to-r4';
export type { SourceRelease } from './rules/context';

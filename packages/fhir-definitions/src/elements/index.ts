import { perRelease } from '../per-release';
import type { ElementModel } from './element-model';
import { readElementModel } from './read-element-model';
import type { ElementTables } from './table-format';

export type {
  ElementBinding,
  ElementDefinition,
  ElementModel,
  ElementProperty,
  ElementType,
  ElementTypeUse,
} from './element-model';
export type { TypeKind } from './table-format';

/** The element model of a release. Its tables are loaded by the first call. */
export const elementModel = perRelease((release): ElementModel => {
  const { tables } = require(`./tables/${release}`) as { tables: ElementTables };
  return readElementModel(release, tables);
});

import type { Release } from '../release';
import type { ElementModel } from './element-model';
import type { ElementTables } from './element-tables';
import { readElementModel } from './read-element-model';

export type {
  ElementBinding,
  ElementDefinition,
  ElementModel,
  ElementProperty,
  ElementType,
  ElementTypeUse,
} from './element-model';
export type { TypeKind } from './element-tables';

const models = new Map<Release, ElementModel>();

/** The element model of a release. Its tables are loaded when it is first asked for. */
export function elementModel(release: Release): ElementModel {
  const known = models.get(release);
  if (known) return known;
  const { tables } = require(`./tables/${release}`) as { tables: ElementTables };
  const made = readElementModel(release, tables);
  models.set(release, made);
  return made;
}

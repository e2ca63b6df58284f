import { renamed } from '../changes/moves';
import type { Changes } from '../rules/change';

/** R4 knows the amount and the currency only; whatever else the quantity said is carried. */
export const money: Changes = { elements: { 'Money.code': renamed('currency') } };

import { renamed } from '../element-rules/basic-rules';
import type { ConversionRules } from '../rules/element-rule';

/** R4 has only the amount and the currency. The other elements of the Quantity are written to extensions. */
export const money: ConversionRules = { elements: { 'Money.code': renamed('currency') } };

export const timingOfDstu2: ConversionRules = {
  elements: {
    'Timing.repeat.durationUnits': renamed('durationUnit'),
    'Timing.repeat.periodUnits': renamed('periodUnit'),
  },
};

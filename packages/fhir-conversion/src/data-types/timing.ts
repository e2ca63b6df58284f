import { renamed } from '../element-rules/basic-rules';
import type { ConversionRules } from '../rules/element-rule';

export const timingOfDstu2: ConversionRules = {
  elements: {
    'Timing.repeat.durationUnits': renamed('durationUnit'),
    'Timing.repeat.periodUnits': renamed('periodUnit'),
  },
};

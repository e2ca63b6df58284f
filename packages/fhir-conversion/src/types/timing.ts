import { renamed } from '../changes/moves';
import type { Changes } from '../rules/change';

export const timingOfDstu2: Changes = {
  elements: {
    'Timing.repeat.durationUnits': renamed('durationUnit'),
    'Timing.repeat.periodUnits': renamed('periodUnit'),
  },
};

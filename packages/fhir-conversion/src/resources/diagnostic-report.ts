import { mergedInto, renamed } from '../changes/moves';
import type { Changes } from '../rules/change';

const common: Changes['elements'] = {
  'DiagnosticReport.codedDiagnosis': renamed('conclusionCode'),
  'DiagnosticReport.image': renamed('media'),
};

export const diagnosticReportOfDstu2: Changes = {
  elements: { ...common, 'DiagnosticReport.request': renamed('basedOn') },
};

export const diagnosticReportOfStu3: Changes = {
  elements: {
    ...common,
    'DiagnosticReport.context': renamed('encounter'),
    'DiagnosticReport.performer': mergedInto('performer', 'actor'),
  },
};

import { flattenedInto, renamed } from '../element-rules/basic-rules';
import type { ConversionRules } from '../rules/element-rule';

const common: ConversionRules['elements'] = {
  'DiagnosticReport.codedDiagnosis': renamed('conclusionCode'),
  'DiagnosticReport.image': renamed('media'),
};

export const diagnosticReportOfDstu2: ConversionRules = {
  elements: { ...common, 'DiagnosticReport.request': renamed('basedOn') },
};

export const diagnosticReportOfStu3: ConversionRules = {
  elements: {
    ...common,
    'DiagnosticReport.context': renamed('encounter'),
    'DiagnosticReport.performer': flattenedInto('performer', 'actor'),
  },
};

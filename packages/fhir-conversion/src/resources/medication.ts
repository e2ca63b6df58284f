import { flattened, renamed } from '../element-rules/basic-rules';
import type { ConversionRules } from '../rules/element-rule';

/** Medications are converted only as contained resources. */
export const medicationOfDstu2: ConversionRules = {
  elements: {
    'Medication.product': flattened,
    'Medication.product.ingredient': renamed('ingredient'),
    'Medication.product.ingredient.amount': renamed('strength'),
    'Medication.product.batch': renamed('batch'),
  },
};

export const medicationOfStu3: ConversionRules = { elements: { 'Medication.ingredient.amount': renamed('strength') } };

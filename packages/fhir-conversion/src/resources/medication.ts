import { dissolved, renamed } from '../changes/moves';
import type { Changes } from '../rules/change';

/** Medications are converted only where they are contained in another resource. */
export const medicationOfDstu2: Changes = {
  elements: {
    'Medication.product': dissolved,
    'Medication.product.ingredient': renamed('ingredient'),
    'Medication.product.ingredient.amount': renamed('strength'),
    'Medication.product.batch': renamed('batch'),
  },
};

export const medicationOfStu3: Changes = { elements: { 'Medication.ingredient.amount': renamed('strength') } };

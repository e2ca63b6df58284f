import { loinc, snomed, type Concept } from './concept';

/** A measurement: LOINC code, UCUM unit and usual range. */
export interface Measurement {
  code: Concept;
  unit: string;
  ucum: string;
  low: number;
  high: number;
  decimals: number;
}

function measurement(
  code: string,
  display: string,
  unit: string,
  ucum: string,
  low: number,
  high: number,
  decimals: number,
): Measurement {
  return { code: loinc(code, display), unit, ucum, low, high, decimals };
}

export const bodyHeight = measurement('8302-2', 'Body height', 'cm', 'cm', 150, 192, 1);
export const bodyWeight = measurement('29463-7', 'Body weight', 'kg', 'kg', 52, 105, 1);

export const vitalSigns = [
  measurement('8867-4', 'Heart rate', '/min', '/min', 58, 100, 0),
  measurement('9279-1', 'Respiratory rate', '/min', '/min', 12, 20, 0),
  measurement('8310-5', 'Body temperature', 'Cel', 'Cel', 36.1, 37.4, 1),
  measurement('39156-5', 'Body mass index (BMI) [Ratio]', 'kg/m2', 'kg/m2', 18.5, 34.9, 2),
  measurement('59408-5', 'Oxygen saturation in Arterial blood by Pulse oximetry', '%', '%', 94, 100, 0),
];

export const bloodPressure = loinc('85354-9', 'Blood pressure panel with all children optional');
export const systolic = measurement('8480-6', 'Systolic blood pressure', 'mm[Hg]', 'mm[Hg]', 102, 148, 0);
export const diastolic = measurement('8462-4', 'Diastolic blood pressure', 'mm[Hg]', 'mm[Hg]', 62, 94, 0);

export const smokingStatus = loinc('72166-2', 'Tobacco smoking status');
export const smokingAnswers = [snomed('266919005', 'Never smoker'), snomed('8517006', 'Ex-smoker')];

/** A laboratory panel and its measurements. */
export interface Panel {
  code: Concept;
  measurements: Measurement[];
}

export const panels: Panel[] = [
  {
    code: loinc('51990-0', 'Basic metabolic panel - Blood'),
    measurements: [
      measurement('2339-0', 'Glucose [Mass/volume] in Blood', 'mg/dL', 'mg/dL', 70, 140, 0),
      measurement('6299-2', 'Urea nitrogen [Mass/volume] in Blood', 'mg/dL', 'mg/dL', 7, 20, 1),
      measurement('38483-4', 'Creatinine [Mass/volume] in Blood', 'mg/dL', 'mg/dL', 0.6, 1.3, 2),
      measurement('49765-1', 'Calcium [Mass/volume] in Blood', 'mg/dL', 'mg/dL', 8.5, 10.2, 2),
      measurement('2947-0', 'Sodium [Moles/volume] in Blood', 'mmol/L', 'mmol/L', 136, 145, 0),
      measurement('6298-4', 'Potassium [Moles/volume] in Blood', 'mmol/L', 'mmol/L', 3.5, 5.1, 2),
      measurement('2069-3', 'Chloride [Moles/volume] in Blood', 'mmol/L', 'mmol/L', 98, 107, 0),
      measurement('20565-8', 'Carbon dioxide, total [Moles/volume] in Blood', 'mmol/L', 'mmol/L', 22, 29, 1),
    ],
  },
  {
    code: loinc('57698-3', 'Lipid panel with direct LDL - Serum or Plasma'),
    measurements: [
      measurement('2093-3', 'Cholesterol [Mass/volume] in Serum or Plasma', 'mg/dL', 'mg/dL', 140, 240, 0),
      measurement('2571-8', 'Triglyceride [Mass/volume] in Serum or Plasma', 'mg/dL', 'mg/dL', 60, 200, 0),
      measurement(
        '18262-6',
        'Cholesterol in LDL [Mass/volume] in Serum or Plasma by Direct assay',
        'mg/dL',
        'mg/dL',
        60,
        160,
        0,
      ),
      measurement('2085-9', 'Cholesterol in HDL [Mass/volume] in Serum or Plasma', 'mg/dL', 'mg/dL', 38, 72, 0),
    ],
  },
  {
    code: loinc('58410-2', 'CBC panel - Blood by Automated count'),
    measurements: [
      measurement('6690-2', 'Leukocytes [#/volume] in Blood by Automated count', '10*3/uL', '10*3/uL', 4.5, 11, 2),
      measurement('789-8', 'Erythrocytes [#/volume] in Blood by Automated count', '10*6/uL', '10*6/uL', 4.1, 5.6, 2),
      measurement('718-7', 'Hemoglobin [Mass/volume] in Blood', 'g/dL', 'g/dL', 11.8, 16.8, 1),
      measurement('4544-3', 'Hematocrit [Volume Fraction] of Blood by Automated count', '%', '%', 36, 49, 1),
      measurement('777-3', 'Platelets [#/volume] in Blood by Automated count', '10*3/uL', '10*3/uL', 150, 400, 0),
    ],
  },
];

export const hemoglobinA1c = measurement('4548-4', 'Hemoglobin A1c/Hemoglobin.total in Blood', '%', '%', 5.1, 8.4, 1);

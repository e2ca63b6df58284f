import { cvx, loinc, rxNorm, snomed, type Concept } from './concept';

export const checkUp = snomed('185349003', 'Encounter for check up');
export const symptomVisit = snomed('185345009', 'Encounter for symptom');
export const followUp = snomed('390906007', 'Follow-up encounter');
export const emergency = snomed('50849002', 'Emergency room admission');
export const hospitalStay = snomed('32485007', 'Hospital admission');

/** Acute conditions. */
export const passingConditions = [
  snomed('195662009', 'Acute viral pharyngitis'),
  snomed('10509002', 'Acute bronchitis'),
  snomed('444814009', 'Viral sinusitis'),
  snomed('65363002', 'Otitis media'),
  snomed('44465007', 'Sprain of ankle'),
  snomed('38822007', 'Cystitis'),
];

/** Chronic conditions, each with its medication. */
export interface ChronicCondition {
  condition: Concept;
  medication: Concept;
  dosage: string;
}

export const diabetes: ChronicCondition = {
  condition: snomed('44054006', 'Diabetes mellitus type 2'),
  medication: rxNorm('860975', '24 HR Metformin hydrochloride 500 MG Extended Release Oral Tablet'),
  dosage: 'Take 1 tablet by mouth once daily with the evening meal',
};
export const hypertension: ChronicCondition = {
  condition: snomed('59621000', 'Essential hypertension'),
  medication: rxNorm('314076', 'lisinopril 10 MG Oral Tablet'),
  dosage: 'Take 1 tablet by mouth once daily',
};
export const hyperlipidemia: ChronicCondition = {
  condition: snomed('55822004', 'Hyperlipidemia'),
  medication: rxNorm('312961', 'Simvastatin 20 MG Oral Tablet'),
  dosage: 'Take 1 tablet by mouth at bedtime',
};
export const asthma: ChronicCondition = {
  condition: snomed('195967001', 'Asthma'),
  medication: rxNorm('745679', '200 ACTUAT Albuterol 0.09 MG/ACTUAT Metered Dose Inhaler'),
  dosage: 'Inhale 2 puffs every 4 to 6 hours as needed',
};
export const hypothyroidism: ChronicCondition = {
  condition: snomed('40930008', 'Hypothyroidism'),
  medication: rxNorm('966222', 'Levothyroxine Sodium 0.075 MG Oral Tablet'),
  dosage: 'Take 1 tablet by mouth once daily before breakfast',
};
export const heartFailure: ChronicCondition = {
  condition: snomed('84114007', 'Heart failure'),
  medication: rxNorm('313988', 'Furosemide 40 MG Oral Tablet'),
  dosage: 'Take 1 tablet by mouth once daily in the morning',
};
export const chronicConditions = [diabetes, hypertension, hyperlipidemia, asthma, hypothyroidism, heartFailure];

/** Short-term medications. */
export const shortMedications = [
  rxNorm('308182', 'Amoxicillin 250 MG Oral Capsule'),
  rxNorm('313782', 'Acetaminophen 325 MG Oral Tablet'),
  rxNorm('310965', 'Ibuprofen 200 MG Oral Tablet'),
];

/** Over-the-counter medications. */
export const selfTakenMedications = [
  rxNorm('243670', 'aspirin 81 MG Oral Tablet'),
  rxNorm('310965', 'Ibuprofen 200 MG Oral Tablet'),
];

export const allergies = [
  { code: snomed('91936005', 'Allergy to penicillin'), category: 'medication' as const },
  { code: snomed('91935009', 'Allergy to peanut'), category: 'food' as const },
  { code: snomed('232350006', 'House dust mite allergy'), category: 'environment' as const },
  { code: snomed('418689008', 'Allergy to grass pollen'), category: 'environment' as const },
  { code: snomed('300913006', 'Shellfish allergy'), category: 'food' as const },
];
export const manifestations = [
  snomed('126485001', 'Urticaria'),
  snomed('271807003', 'Eruption of skin'),
  snomed('267036007', 'Dyspnea'),
];

export const procedures = [
  snomed('430193006', 'Medication reconciliation'),
  snomed('428191000124101', 'Documentation of current medications'),
  snomed('710824005', 'Assessment of health and social care needs'),
  snomed('29303009', 'Electrocardiographic procedure'),
  snomed('399208008', 'Plain chest X-ray'),
  snomed('127783003', 'Spirometry'),
  snomed('73761001', 'Colonoscopy'),
];

export const influenzaVaccine = cvx('140', 'Influenza, seasonal, injectable, preservative free');
export const childhoodVaccines = [
  cvx('08', 'Hep B, adolescent or pediatric'),
  cvx('20', 'DTaP'),
  cvx('10', 'IPV'),
  cvx('03', 'MMR'),
  cvx('21', 'varicella'),
  cvx('83', 'Hep A, ped/adol, 2 dose'),
];
export const adultVaccines = [
  cvx('113', 'Td (adult), 5 Lf tetanus toxoid, preservative free, adsorbed'),
  cvx('115', 'Tdap'),
  cvx('133', 'Pneumococcal conjugate PCV 13'),
  cvx('121', 'zoster live'),
];

export const documentTypes = [
  loinc('34133-9', 'Summary of episode note'),
  loinc('11506-3', 'Progress note'),
  loinc('34117-2', 'History and physical note'),
  loinc('11488-4', 'Consult note'),
];
export const dischargeSummary = loinc('18842-5', 'Discharge summary');

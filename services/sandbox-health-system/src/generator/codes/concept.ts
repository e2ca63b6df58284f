/** A code with its system and display text. */
export interface Concept {
  system: string;
  code: string;
  display: string;
}

const loincSystem = 'http://loinc.org';
const snomedSystem = 'http://snomed.info/sct';
const rxNormSystem = 'http://www.nlm.nih.gov/research/umls/rxnorm';
const cvxSystem = 'http://hl7.org/fhir/sid/cvx';

export function loinc(code: string, display: string): Concept {
  return { system: loincSystem, code, display };
}

export function snomed(code: string, display: string): Concept {
  return { system: snomedSystem, code, display };
}

export function rxNorm(code: string, display: string): Concept {
  return { system: rxNormSystem, code, display };
}

export function cvx(code: string, display: string): Concept {
  return { system: cvxSystem, code, display };
}

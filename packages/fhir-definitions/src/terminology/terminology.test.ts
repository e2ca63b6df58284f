import { codeSystemOf, releaseCodeSystem, releaseValueSet } from '.';

describe('terminology', () => {
  it('has the code systems of each release with their hierarchy', () => {
    expect(
      releaseCodeSystem('r4', 'http://terminology.hl7.org/CodeSystem/condition-clinical')?.below('active'),
    ).toEqual(new Set(['active', 'recurrence', 'relapse']));
    expect(releaseCodeSystem('stu3', 'http://hl7.org/fhir/condition-clinical')?.above('recurrence')).toEqual(
      new Set(['recurrence', 'active']),
    );
    expect(releaseCodeSystem('dstu2', 'http://hl7.org/fhir/observation-status')?.codes).toContain('final');
    expect(releaseCodeSystem('r4', 'http://snomed.info/sct')).toBeUndefined();
    expect(releaseCodeSystem('r4', 'constructor')).toBeUndefined();
  });

  it('has the value sets whose codes the release publishes', () => {
    expect(releaseValueSet('r4', 'http://hl7.org/fhir/ValueSet/observation-status')).toEqual({
      include: [{ system: 'http://hl7.org/fhir/observation-status' }],
    });
    expect(releaseValueSet('r4', 'http://hl7.org/fhir/ValueSet/condition-severity')?.include[0]?.system).toBe(
      'http://snomed.info/sct',
    );
    // All findings of SNOMED CT: which these are only SNOMED CT tells.
    expect(releaseValueSet('r4', 'http://hl7.org/fhir/ValueSet/clinical-findings')).toBeUndefined();
    expect(releaseValueSet('dstu2', 'http://hl7.org/fhir/ValueSet/observation-status')).toBeDefined();
  });

  it('accepts a code with several parents, and terminates for a cycle', () => {
    const system = codeSystemOf('http://x', ['a', ['c', ['d']], 'b', ['c']]);
    expect(system.above('d')).toEqual(new Set(['d', 'c', 'a', 'b']));
    expect(system.below('b')).toEqual(new Set(['b', 'c', 'd']));
    expect(codeSystemOf('http://x', ['a', ['b', ['a']]]).below('a')).toEqual(new Set(['a', 'b']));
  });
});

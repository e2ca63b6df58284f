import { TypeFailed, describeFailures } from './type-failed';

describe('describeFailures', () => {
  it('names each reason once, with all its types', () => {
    const failures = [
      new TypeFailed('Encounter', 'paging_failed', 'its pages lead in a circle', true),
      new TypeFailed('Condition', 'server_error', 'the health system responded with 500 4 times', false, 500),
      new TypeFailed('Observation', 'paging_failed', 'its pages lead in a circle', true),
      new TypeFailed('Observation', 'paging_failed', 'its pages lead in a circle', true),
    ];
    expect(describeFailures(failures)).toBe(
      'Encounter, Observation: its pages lead in a circle; Condition: the health system responded with 500 4 times',
    );
  });

  it('is empty without failures', () => {
    expect(describeFailures([])).toBe('');
  });
});

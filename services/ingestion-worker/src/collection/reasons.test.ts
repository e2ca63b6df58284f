import { PageFailed } from './page-failed';
import { reasonsOf } from './reasons';

describe('reasonsOf', () => {
  it('tells each reason once, with all types that it holds for', () => {
    const failures = [
      new PageFailed('Encounter', 'its pages lead in a circle', true),
      new PageFailed('Condition', 'the health system answered 500 4 times', false, 500),
      new PageFailed('Observation', 'its pages lead in a circle', true),
      new PageFailed('Observation', 'its pages lead in a circle', true),
    ];
    expect(reasonsOf(failures)).toBe(
      'Encounter, Observation: its pages lead in a circle; Condition: the health system answered 500 4 times',
    );
  });

  it('says nothing of a collection in which nothing failed', () => {
    expect(reasonsOf([])).toBe('');
  });
});

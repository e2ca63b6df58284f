import { closedSlices } from './closed-slices';
import { recordTemplate } from './record-template';

const patient = '{"resourceType":"Patient","id":"p"}';
const encounter = (n: number): string =>
  `{"resourceType":"Encounter","id":"e${n}","subject":{"reference":"Patient/p"}}`;
const observation = (n: number, code = 'a'): string =>
  `{"resourceType":"Observation","id":"o${n}","code":{"coding":[{"system":"s","code":"${code}"}]},"encounter":{"reference":"Encounter/e${n}"}}`;

describe('closedSlices', () => {
  const lines = [patient, ...Array.from({ length: 60 }, (_, n) => [observation(n), encounter(n)]).flat()];

  it('splits a record into records of the size, each with the patient and all referenced resources', () => {
    const slices = closedSlices(lines, 31);
    expect(slices.length).toBe(4);
    for (const slice of slices) {
      expect(slice.length).toBeGreaterThanOrEqual(31);
      expect(slice.length).toBeLessThanOrEqual(36);
      expect(slice[0]).toBe(patient);
      for (const [, key = ''] of slice.join('\n').matchAll(/"reference":"([^"]+)"/g))
        expect(slice.some((line) => line.includes(`"id":"${key.split('/')[1] ?? ''}"`))).toBe(true);
    }
  });

  it('does not split a small record, and leaves out resources with too many referenced resources', () => {
    expect(closedSlices(lines.slice(0, 5), 300)).toEqual([
      [patient, observation(0), encounter(0), observation(1), encounter(1)],
    ]);
    const provenance = `{"resourceType":"Provenance","id":"all","target":[${lines.map((_, n) => `{"reference":"Observation/o${n}"}`).join(',')}]}`;
    expect(
      closedSlices([...lines, provenance], 20)
        .flat()
        .join(),
    ).not.toContain('Provenance');
  });
});

describe('a record template', () => {
  it('lists the most frequent codes', () => {
    const template = recordTemplate(
      'x',
      [patient, observation(1, 'a'), observation(2, 'b'), observation(3, 'b')],
      true,
    );
    expect(template.codes).toEqual([
      { system: 's', code: 'b', count: 2 },
      { system: 's', code: 'a', count: 1 },
    ]);
    expect(template.resources.map(({ type, id }) => `${type}/${id}`)).toEqual([
      'Patient/p',
      'Observation/o1',
      'Observation/o2',
      'Observation/o3',
    ]);
  });
});

import { typeCodeOf } from '@tributary/record-storage';
import { issueLine } from '../filters/issue-line';
import { Unconverted } from './unconverted';

const typeCode = typeCodeOf('dstu2', 'MedicationOrder');
const position = { userId: 1, blockId: '1' };
const file = { scope: { userId: 1 }, at: 5, typeCode, from: position, to: position, count: 3, bytes: 9 };

it('counts every resource, and lists as many reasons as fit into an address', () => {
  const unconverted = new Unconverted();
  for (let i = 0; i < 1000; i++) unconverted.addResource(file, `Reason ${i % 50}.`);
  const [issue, ...more] = unconverted.files();
  expect(more).toEqual([]);
  expect(issue).toMatchObject({
    of: 'issue',
    typeCode: typeCodeOf('r4', 'MedicationRequest'),
    convertedFrom: typeCode,
    resources: 1000,
  });
  expect(issue?.reasons).toHaveLength(11);
  expect(issue?.reasons?.reduce((sum, { resources }) => sum + resources, 0)).toBe(1000);
  expect(issueLine(issue!).toString()).toContain(
    '800 resources of type MedicationOrder of FHIR DSTU2 are left out: not converted to R4. There are further reasons.',
  );
});

it('adds up the files of a type that is not converted', () => {
  const unconverted = new Unconverted();
  for (let i = 0; i < 2; i++) unconverted.addFile({ ...file, typeCode: typeCodeOf('stu3', 'Claim') }, 3);
  unconverted.addFile(file, 0);
  expect(unconverted.files()).toEqual([
    {
      of: 'issue',
      scope: file.scope,
      at: 5,
      typeCode: typeCodeOf('r4', 'Claim'),
      convertedFrom: typeCodeOf('stu3', 'Claim'),
      resources: 6,
    },
  ]);
});

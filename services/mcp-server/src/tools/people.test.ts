import { FakeRecord, loinc } from '../../test/fake-record';
import { allPages, runTool } from '../../test/run-tool';

let record: FakeRecord;
beforeAll(async () => {
  record = await FakeRecord.start();
});
afterEach(() => record.clear());
afterAll(() => record.stop());

const amelia = { birthDate: '1984-03-09', name: [{ use: 'official', given: ['Amelia'], family: 'Hart' }] };
const noah = { birthDate: '2015-06-01', name: [{ given: ['Noah'], family: 'Hart' }] };

const addPatient = (release: string, id: string, who: object): string =>
  record.add(release, { resourceType: 'Patient', id, ...who });
const addOf = (release: string, id: string, patient: string, name: string): void => {
  const subject = { reference: `Patient/${patient}` };
  record.add(release, { resourceType: 'Condition', id, subject, code: { text: name } });
  const code = loinc('29463-7', name);
  record.add(release, { resourceType: 'Observation', id, subject, code, effectiveDateTime: '2024-01-01' });
};

describe('a record of several people', () => {
  beforeEach(() => {
    addPatient('r4', 'a', amelia);
    addPatient('dstu2', 'b', { name: [{ text: 'Hart, Amelia', given: ['Amelia'], family: 'Hart' }] });
    addPatient('r4', 'n', noah);
    addOf('r4', 'ra', 'a', 'of Amelia');
    addOf('dstu2', 'db', 'b', 'also of Amelia');
    addOf('r4', 'rn', 'n', 'of Noah');
  });

  const tools = ['get_patient_summary', 'list_problems', 'list_vital_signs', 'search_fhir'];
  const argumentsOf = (tool: string): object => (tool === 'search_fhir' ? { type: 'Condition' } : {});

  it.each(tools)('%s asks whom the question is about', async (tool) => {
    const question =
      /several people.*Call again with patient[^]*- Amelia Hart, born 1984-03-09: patient "r4\/Patient\/a"\n- Noah Hart, born 2015-06-01: patient "r4\/Patient\/n"$/;
    await expect(runTool(record, tool, { ...argumentsOf(tool) })).rejects.toThrow(question);
    await expect(runTool(record, tool, { ...argumentsOf(tool), patient: 'Hart' })).rejects.toThrow(question);
    await expect(runTool(record, tool, { ...argumentsOf(tool), patient: 'Emma' })).rejects.toThrow(
      /no person of this name or reference[^]*Noah Hart/,
    );
  });

  it.each(tools)('%s answers for the person who is named', async (tool) => {
    const ofNoah = await runTool(record, tool, { ...argumentsOf(tool), patient: 'noah' });
    expect(ofNoah.text).toContain('of Noah');
    expect(ofNoah.text).not.toContain('of Amelia');
    expect(ofNoah.data['notes']).toContain(
      'The record has several people. This answer is about Noah Hart, born 2015-06-01 only.',
    );
    const ofAmelia = await runTool(record, tool, { ...argumentsOf(tool), patient: 'r4/Patient/a' });
    expect(ofAmelia.text).toContain('of Amelia');
    expect(ofAmelia.text).not.toContain('of Noah');
  });

  it('finds a person in all releases', async () => {
    const { data } = await runTool(record, 'list_problems', { patient: 'dstu2/Patient/b' });
    expect((data['entries'] as { name: string }[]).map(({ name }) => name).sort()).toEqual([
      'also of Amelia',
      'of Amelia',
    ]);
    expect((await runTool(record, 'list_problems', { patient: 'Noah Hart' })).data['total']).toBe(1);
  });

  it('does not ask for what is about no patient, or names its patient or resource', async () => {
    record.add('r4', { resourceType: 'Practitioner', id: 'p' });
    const totals = [
      { type: 'Practitioner' },
      { type: 'Practitioner', patient: 'Noah' },
      { type: 'Patient' },
      { type: 'Condition', query: 'patient=n' },
      { type: 'Condition', query: '_id=ra' },
      { type: 'Patient', release: 'stu3' },
    ].map(async (input) => (await runTool(record, 'search_fhir', input)).data['total']);
    expect(await Promise.all(totals)).toEqual([1, 1, 2, 1, 1, 0]);
  });

  it('finds the Patient of the person who is named', async () => {
    const { text, data } = await runTool(record, 'search_fhir', { type: 'Patient', patient: 'Noah' });
    expect([data['total'], text]).toEqual([1, expect.stringContaining('2015-06-01')]);
    expect(text).not.toContain('Amelia');
  });

  it('says when what is found belongs to no single person', async () => {
    record.add('r4', { resourceType: 'Medication', id: 'm' });
    const { data } = await runTool(record, 'search_fhir', { type: 'Medication', patient: 'Noah' });
    expect(data['notes']).toEqual(['Medication belongs to no single person: this answer is about the whole record.']);
  });

  it('does not show the documents of all people', async () => {
    record.add('r4', { resourceType: 'Binary', id: 'b' });
    await expect(runTool(record, 'search_fhir', { type: 'Binary' })).rejects.toThrow('several people');
    await expect(runTool(record, 'search_fhir', { type: 'Binary', patient: 'Noah' })).rejects.toThrow('list_documents');
  });

  it('has nothing of a person in a release without a Patient of this person', async () => {
    const { text, data } = await runTool(record, 'search_fhir', {
      type: 'Condition',
      release: 'dstu2',
      patient: 'Noah',
    });
    expect([data['total'], text]).toEqual([0, expect.stringContaining('No Condition of dstu2 matches.')]);
  });

  it('continues with the same person', async () => {
    for (let n = 0; n < 30; n++) addOf('r4', `n${n}`, 'n', 'of Noah');
    for (const [tool, input] of [
      ['list_problems', {}],
      ['search_fhir', { type: 'Condition' }],
    ] as const) {
      const pages = await allPages(record, tool, { ...input, patient: 'Noah', limit: 10 });
      expect(pages.flatMap(({ data }) => data['entries'] as unknown[])).toHaveLength(31);
    }
  });

  it('shows a Patient of whom nothing is known as a person of its own', async () => {
    addPatient('r4', 'x', {});
    await expect(runTool(record, 'list_problems')).rejects.toThrow('- unnamed: patient "r4/Patient/x"');
  });
});

describe('a record of one person', () => {
  it('needs no name, and takes the right one', async () => {
    addPatient('r4', 'a', amelia);
    addPatient('dstu2', 'x', {});
    addOf('r4', 'ra', 'a', 'of Amelia');
    record.add('r4', { resourceType: 'Condition', id: 'c', code: { text: 'of nobody' } });
    expect((await runTool(record, 'list_problems')).data['total']).toBe(2);
    expect((await runTool(record, 'list_problems', { patient: 'Amelia' })).data['total']).toBe(2);
    await expect(runTool(record, 'list_problems', { patient: 'Noah' })).rejects.toThrow('no person of this name');
  });

  it('has no Patient in the beginning', async () => {
    await expect(runTool(record, 'list_problems', { patient: 'Noah' })).rejects.toThrow('no Patient yet');
    expect((await runTool(record, 'list_problems')).data['total']).toBe(0);
  });
});

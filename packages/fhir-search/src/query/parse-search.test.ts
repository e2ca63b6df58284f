import type { Resource } from '@tributary/fhir-json';
import {
  chainCriterion,
  childrenOf,
  compartmentCriterion,
  containedSearch,
  containersOf,
  hierarchyCriterion,
  includedReferences,
  indexValues,
  listCriterion,
  listMembers,
  parentsOf,
  parseSearch,
  referencing,
  reverseChainCriterion,
  reverseChainTargets,
  SearchError,
  supportedParameters,
  type Hierarchy,
} from '../index';

const parse = (type: string | undefined, search: string, strict = false): ReturnType<typeof parseSearch> =>
  parseSearch('r4', type, new URLSearchParams(search), { strict });

describe('conditions', () => {
  it('share terms between parameters of the same element', () => {
    const conditionOf = (search: string): unknown => parse('Observation', search).criteria[0]?.condition;
    expect(conditionOf('subject=Patient/1')).toEqual({ op: 'any-term', terms: ['Observation.subject|r|Patient/1'] });
    expect(conditionOf('patient=1')).toEqual({ op: 'any-term', terms: ['Observation.subject|r|Patient/1'] });
    expect(conditionOf('combo-code=x,y')).toEqual({
      op: 'any-term',
      terms: [
        'Observation.code|c|x',
        'Observation.component.code|c|x',
        'Observation.code|c|y',
        'Observation.component.code|c|y',
      ],
    });
    expect(conditionOf('code:not=x')).toEqual({ op: 'not', of: { op: 'any-term', terms: ['Observation.code|c|x'] } });
    expect(conditionOf('code:text=x')).toEqual({ op: 'all' });
    const within = (name: string): object[] => {
      const range = { op: 'range', kind: 'date', name: `Observation.effective|${name}`, repeats: false };
      const [low, high] = [Date.UTC(2024, 0, 1, 10), Date.UTC(2024, 0, 1, 10, 1) - 1];
      return [
        { ...range, high: { gt: high } },
        { ...range, low: { ge: low }, high: { le: high } },
      ];
    };
    expect(conditionOf('date=ge2024-01-01T10:00Z')).toEqual({ op: 'or', of: within('d') });
    // A value has a local range only where its dates differ from those in UTC.
    expect(conditionOf('date=2024')).toMatchObject({
      op: 'or',
      of: [
        { op: 'range', name: 'Observation.effective|l' },
        {
          op: 'and',
          of: [
            { op: 'range', name: 'Observation.effective|d' },
            { op: 'not', of: { op: 'has-range', name: 'Observation.effective|l' } },
          ],
        },
      ],
    });
    expect(conditionOf('date:missing=true')).toEqual({
      op: 'not',
      of: { op: 'has-range', name: 'Observation.effective|d' },
    });
    expect(conditionOf('_lastUpdated=ge2024&_id=a')).toEqual({
      op: 'or',
      of: [
        { op: 'last-updated', gt: Date.UTC(2025, 0, 1) - 1 },
        { op: 'last-updated', ge: Date.UTC(2024, 0, 1), le: Date.UTC(2025, 0, 1) - 1 },
      ],
    });
  });

  it('keep few terms of an observation', () => {
    const observation: Resource = {
      resourceType: 'Observation',
      id: 'o',
      status: 'final',
      category: [{ coding: [{ system: 'http://c', code: 'laboratory' }] }],
      code: { coding: [{ system: 'http://loinc.org', code: '1-1' }] },
      subject: { reference: 'Patient/p' },
      effectiveDateTime: '2024-01-01T00:00:00Z',
      valueQuantity: { value: 5.4, unit: 'mg/dL', system: 'http://unitsofmeasure.org', code: 'mg/dL' },
    };
    expect(indexValues('r4', observation)).toEqual({
      terms: expect.arrayContaining([
        'Observation.category|c|laboratory',
        'Observation.category|s|http://c|laboratory',
        'Observation.code|c|1-1',
        'Observation.code|s|http://loinc.org|1-1',
        'Observation.status|c|final',
        'Observation.subject|r|Patient/p',
        'Observation.value|u|mg/dL',
      ]),
      ranges: expect.arrayContaining([
        { name: 'Observation.effective|d', kind: 'date', low: Date.UTC(2024, 0, 1), high: Date.UTC(2024, 0, 1) + 999 },
        { name: 'Observation.value|n', kind: 'number', low: 5.4, high: 5.4 },
        { name: 'Observation.value|n|g.m-3', kind: 'number', low: 54, high: 54 },
      ]),
    });
    expect(indexValues('r4', observation).terms).toHaveLength(7);
  });
});

describe('subqueries', () => {
  it('read a chain', () => {
    const [subquery] = parse('Observation', 'subject:Patient.name:exact=Eve').subqueries;
    if (subquery?.kind !== 'chain') throw new Error('no chain');
    expect(subquery.target.types).toEqual(['Patient']);
    expect(subquery.target.criteria[0]?.parameter).toBe('name:exact');
    expect(chainCriterion(subquery, [], ['Patient/1', 'Patient/2'], [])).toMatchObject({
      exact: true,
      condition: { op: 'any-term', terms: ['Observation.subject|r|Patient/1', 'Observation.subject|r|Patient/2'] },
    });
  });

  it('follow a chain into contained resources', () => {
    const [subquery] = parse('MedicationRequest', 'medication.code=aspirin').subqueries;
    if (subquery?.kind !== 'chain') throw new Error('no chain');
    const request = (reference: string): Resource => ({
      resourceType: 'MedicationRequest',
      id: 'r',
      contained: [
        { resourceType: 'Medication', id: 'm', code: { coding: [{ code: 'aspirin' }] } },
        { resourceType: 'Medication', id: 'n', code: { coding: [{ code: 'ibuprofen' }] } },
      ],
      medicationReference: { reference },
    });
    const { types, criteria } = containersOf(subquery, []);
    expect([types, criteria[0]?.condition]).toEqual([
      ['MedicationRequest'],
      { op: 'any-term', terms: ['MedicationRequest.medication|r|#'] },
    ]);
    expect(indexValues('r4', request('#m')).terms).toContain('MedicationRequest.medication|r|#');
    expect(indexValues('r4', request('Medication/m')).terms).not.toContain('MedicationRequest.medication|r|#');
    expect(
      ['#m', '#n', '#', 'Medication/m', '#gone'].map((reference) => criteria[0]?.matches(request(reference))),
    ).toEqual([true, false, false, false, false]);
    expect(chainCriterion(subquery, [], [], ['MedicationRequest/r'])).toMatchObject({
      exact: true,
      condition: { op: 'id', ids: ['r'] },
    });
  });

  it('read a chain of several steps through all types that have the parameter', () => {
    const [subquery] = parse('Observation', 'subject.organization.name=x').subqueries;
    if (subquery?.kind !== 'chain') throw new Error('no chain');
    expect(subquery.target.types).toEqual(['Device', 'Location', 'Patient']);
    const [next] = subquery.target.subqueries;
    if (next?.kind !== 'chain') throw new Error('no second chain');
    expect(next.target.types).toEqual(['Organization']);
  });

  it('read _has, also nested', () => {
    const [subquery] = parse('Patient', '_has:Observation:patient:_has:AuditEvent:entity:agent=x').subqueries;
    if (subquery?.kind !== 'reverse-chain') throw new Error('no _has');
    expect(subquery.source.types).toEqual(['Observation']);
    expect(subquery.source.subqueries[0]?.kind).toBe('reverse-chain');
    expect(reverseChainTargets(subquery, { resourceType: 'Observation', subject: { reference: 'Patient/7' } })).toEqual(
      ['Patient/7'],
    );
    const criterion = reverseChainCriterion(subquery, [], ['Patient/7', 'Group/8']);
    expect(criterion).toMatchObject({ exact: true, condition: { op: 'id', ids: ['7'] } });
    expect(criterion.matches({ resourceType: 'Patient', id: '7' })).toBe(true);
  });

  it('read _list', () => {
    const [subquery] = parse('Patient', '_list=42').subqueries;
    if (subquery?.kind !== 'list') throw new Error('no _list');
    expect(subquery.listId).toBe('42');
    expect(listCriterion(subquery, ['Patient/1', 'Observation/2']).condition).toEqual({ op: 'id', ids: ['1'] });
    const list: Resource = {
      resourceType: 'List',
      entry: [{ item: { reference: 'Patient/1' } }, { deleted: true, item: { reference: 'Patient/2' } }],
    };
    expect(listMembers(list)).toEqual(['Patient/1']);
  });

  it.each([
    'status.x=1',
    'subject:Nothing.name=x',
    '_has:Observation:code:status=final',
    '_has:Nothing:patient:code=x',
    '_has:Observation:patient=x',
    '_list=$current-problems',
  ])('refuse %s', (search) => {
    expect(() => parse('Observation', search)).toThrow(SearchError);
  });
});

describe('result parameters', () => {
  it('are read', () => {
    const { result } = parse(
      'Observation',
      '_count=5&_total=accurate&_summary=true&_elements=id,code&_sort=-date,status,_lastUpdated,_id',
    );
    expect(result).toMatchObject({ count: 5, total: 'accurate', summary: 'true', elements: ['id', 'code'] });
    expect(result.sort.map(({ parameter, descending, by }) => [parameter, descending, by.kind])).toEqual([
      ['date', true, 'range'],
      ['status', false, 'value'],
      ['_lastUpdated', false, 'last-updated'],
      ['_id', false, 'id'],
    ]);
    expect(result.sort[0]?.by).toEqual({ kind: 'range', name: 'Observation.effective|d', rangeKind: 'date' });
  });

  it('read the sort syntax of dstu2', () => {
    const { result } = parseSearch('dstu2', 'Patient', [
      ['_sort:desc', 'birthdate'],
      ['_sort:asc', 'family'],
      ['_sort', 'given'],
    ]);
    expect(result.sort.map(({ parameter, descending }) => [parameter, descending])).toEqual([
      ['birthdate', true],
      ['family', false],
      ['given', false],
    ]);
  });

  it('provide sort keys of resources', () => {
    const [ascending] = parse('Patient', '_sort=name').result.sort;
    const [descending] = parse('Patient', '_sort=-name').result.sort;
    const patient: Resource = { resourceType: 'Patient', name: [{ family: 'Zoe', given: ['Ädam'] }] };
    expect([
      ascending?.valueOf(patient),
      descending?.valueOf(patient),
      ascending?.valueOf({ resourceType: 'Patient' }),
    ]).toEqual(['adam', 'zoe', undefined]);
  });

  it('read includes', () => {
    const { result } = parse(
      'Observation',
      '_include=Observation:subject:Patient&_include:iterate=Patient:*&_revinclude=Provenance:target&_include=*',
    );
    expect(result.include).toEqual([
      { source: 'Observation', parameter: 'subject', target: 'Patient', iterate: false },
      { source: 'Patient', parameter: '*', iterate: true },
      { source: '*', parameter: '*', iterate: false },
    ]);
    expect(result.revinclude).toEqual([{ source: 'Provenance', parameter: 'target', iterate: false }]);
  });

  it.each([
    '_count=-1',
    '_count=x',
    '_total=exact',
    '_summary=yes',
    '_include=Observation:code',
    '_include=Nothing:x',
    '_include=Observation',
    '_contained=maybe',
    '_include:always=*',
  ])('refuse %s', (search) => {
    expect(() => parse('Observation', search)).toThrow(SearchError);
  });
});

describe('includes', () => {
  const observation: Resource = {
    resourceType: 'Observation',
    subject: { reference: 'Patient/1' },
    encounter: { reference: 'Encounter/2/_history/3' },
    performer: [{ reference: 'Practitioner/3' }, { reference: '#p' }],
  };

  it('follow references', () => {
    const included = (parameter: string, target?: string): string[] =>
      includedReferences(
        'r4',
        { source: 'Observation', parameter, iterate: false, ...(target !== undefined && { target }) },
        observation,
      ).sort();
    expect(included('subject')).toEqual(['Patient/1']);
    expect(included('*')).toEqual(['Encounter/2/_history/3', 'Patient/1', 'Practitioner/3']);
    expect(included('subject', 'Group')).toEqual([]);
    expect(includedReferences('r4', { source: 'Patient', parameter: '*', iterate: false }, observation)).toEqual([]);
  });

  it('are followed backwards', () => {
    const search = referencing('r4', { source: 'Observation', parameter: 'subject', iterate: false }, ['Patient/1']);
    expect(search.types).toEqual(['Observation']);
    expect(search.criteria[0]?.condition).toEqual({ op: 'any-term', terms: ['Observation.subject|r|Patient/1'] });
    const all = referencing('r4', { source: '*', parameter: '*', iterate: false }, ['Practitioner/3']);
    expect(all.types).toContain('Observation');
    expect(all.criteria[0]?.matches(observation)).toBe(true);
  });
});

describe('the system level', () => {
  it('joins the parameters of the types', () => {
    const query = parse(undefined, '_type=Observation,Condition&subject=Patient/1');
    expect(query.types).toEqual(['Observation', 'Condition']);
    expect(query.criteria[0]?.condition).toEqual({
      op: 'any-term',
      terms: ['Observation.subject|r|Patient/1', 'Condition.subject|r|Patient/1'],
    });
    expect(query.criteria[0]?.matches({ resourceType: 'Condition', subject: { reference: 'Patient/1' } })).toBe(true);
  });

  it('searches all types by common parameters', () => {
    const query = parse(undefined, '_tag=x&_lastUpdated=gt2024');
    expect(query.types).toEqual([]);
    expect(query.criteria[0]?.condition).toEqual({ op: 'any-term', terms: ['Resource.meta.tag|c|x'] });
    expect(query.criteria[0]?.matches({ resourceType: 'Patient', meta: { tag: [{ code: 'x' }] } })).toBe(true);
  });

  it('refuses unknown types, and parameters that not all types have', () => {
    expect(() => parse(undefined, '_type=Nothing')).toThrow(SearchError);
    for (const search of ['_type=Observation,Patient&code=x', 'family=x', 'subject.name=x', 'code:in=http://vs']) {
      expect(() => parse(undefined, search)).toThrow(
        expect.objectContaining({ code: 'invalid', parameter: search.split(/[=&]/).at(-2) }),
      );
    }
    expect(parse(undefined, 'favourite=blue').ignored).toHaveLength(1);
  });
});

describe('handling', () => {
  it('reports unknown parameters as ignored when lenient', () => {
    const query = parse('Patient', 'favourite=blue&gender=male&constructor=x&_sort=shoe&family=&_format=json');
    expect(query.applied).toEqual([['gender', 'male']]);
    expect(query.ignored.map(({ parameter }) => parameter)).toEqual(['favourite', 'constructor', '_sort', 'family']);
  });

  it('applies the sort keys that it knows', () => {
    const query = parse('Condition', '_sort=code,-onset,_id');
    expect(query.applied).toEqual([['_sort', 'code,_id']]);
    expect(query.ignored.map(({ parameter }) => parameter)).toEqual(['_sort']);
    expect(query.result.sort.map(({ parameter }) => parameter)).toEqual(['code', '_id']);
  });

  it.each([
    ['Condition', 'Code=x', 'Condition has no search parameter Code; similar: code'],
    ['Condition', '_sort=-onset', 'cannot sort by onset; similar: onset-age, onset-date, onset-info'],
    ['Observation', 'Value_Quantity=1', 'Observation has no search parameter Value_Quantity; similar: value-quantity'],
    ['Patient', 'favourite=x', 'Patient has no search parameter favourite'],
    ['Patient', '-=x', 'Patient has no search parameter -'],
    [undefined, 'Tag=x', 'not all of the resource types have a search parameter Tag'],
  ])('names similar parameters: %s?%s', (type, search, reason) => {
    expect(parse(type, search).ignored.map((each) => each.reason)).toEqual([reason]);
  });

  it('refuses them when strict', () => {
    expect(() => parse('Patient', 'favourite=blue', true)).toThrow(
      expect.objectContaining({ parameter: 'favourite', code: 'not-supported' }),
    );
    expect(() => parse('Observation', 'subject.favourite=blue', true)).toThrow(SearchError);
  });

  it('refuses named queries, also when lenient', () => {
    expect(() => parse('Patient', '_query=current-high-risk')).toThrow(
      expect.objectContaining({ parameter: '_query', code: 'not-supported' }),
    );
  });
});

describe('contained resources', () => {
  const request: Resource = {
    resourceType: 'MedicationRequest',
    id: 'r',
    contained: [{ resourceType: 'Medication', id: 'm', code: { coding: [{ code: 'aspirin' }] } }],
  };

  it('are searched in place of, or beside, the resources', () => {
    const { criterion, matchesWithin } = containedSearch(parse('Medication', 'code=aspirin&_contained=true'), []);
    expect([criterion.exact, criterion.condition]).toEqual([false, { op: 'all' }]);
    expect(criterion.matches(request)).toBe(true);
    expect(matchesWithin(request)).toEqual(request['contained']);
    const medication: Resource = { resourceType: 'Medication', code: { coding: [{ code: 'aspirin' }] } };
    expect(criterion.matches(medication)).toBe(false);
    const both = containedSearch(parse('Medication', 'code=aspirin&_contained=both'), []);
    expect(both.criterion.matches(medication)).toBe(true);
  });
});

describe('compartments', () => {
  it('contain a patient and the resources that refer to the patient', () => {
    expect(compartmentCriterion('r4', 'Patient', '1', 'Observation')?.condition).toEqual({
      op: 'any-term',
      terms: ['Observation.subject|r|Patient/1', 'Observation.performer|r|Patient/1'],
    });
    expect(compartmentCriterion('r4', 'Patient', '1', 'Patient')?.matches({ resourceType: 'Patient', id: '1' })).toBe(
      true,
    );
    expect(compartmentCriterion('dstu2', 'Patient', '1', 'MedicationOrder')?.exact).toBe(true);
    expect(compartmentCriterion('r4', 'Patient', '1', 'Medication')).toBeUndefined();
  });
});

describe('supportedParameters', () => {
  it('are those that a search takes', () => {
    for (const release of ['dstu2', 'stu3', 'r4'] as const) {
      for (const { code } of supportedParameters(release, 'Observation')) {
        expect(() => parseSearch(release, 'Observation', [[`${code}:missing`, 'true']])).not.toThrow(
          expect.objectContaining({ code: 'unknown' }),
        );
      }
    }
    expect(supportedParameters('r4', 'Patient').map(({ code }) => code)).not.toContain('_query');
  });
});

describe('hierarchies of references', () => {
  const subquery = (search: string): Hierarchy => parse('Procedure', search).subqueries[0] as Hierarchy;

  it('find the descendants or ancestors of the given resources', () => {
    const below = subquery('location:below=a,Location/b');
    expect([below.kind, below.direction, below.start]).toEqual(['hierarchy', 'below', ['Location/a', 'Location/b']]);
    expect(childrenOf(below, ['Location/a']).map(({ types }) => types)).toEqual([['Location']]);
    const within: Resource = { resourceType: 'Location', id: 'c', partOf: { reference: 'Location/a' } };
    expect(childrenOf(below, ['Location/a'])[0]?.criteria.every((criterion) => criterion.matches(within))).toBe(true);
    expect(parentsOf(subquery('location:above=c'), within)).toEqual(['Location/a']);
    expect(
      hierarchyCriterion(below, ['Location/a', 'Location/c']).matches({
        resourceType: 'Procedure',
        location: { reference: 'Location/c' },
      }),
    ).toBe(true);
  });

  it('are refused for types without a hierarchy', () => {
    expect(() => parse('Procedure', 'patient:below=1')).toThrow(
      expect.objectContaining({ parameter: 'patient:below', code: 'not-supported' }),
    );
  });
});

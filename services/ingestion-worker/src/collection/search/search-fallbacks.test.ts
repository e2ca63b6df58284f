import type { SearchState } from '../../checkpoints/checkpoint';
import { type Refusal, acceptSearch, applyAcceptedForms, fallBack, noAcceptedForms } from './search-fallbacks';

const refusal = (status = 400, ...issueCodes: string[]): Refusal => ({ status, issueCodes });

/** The first search of each form that is tried on a server that refuses everything. */
function chain(
  search: string,
  { refused = refusal(), accepted = [] as string[], release = 'r4' as 'r4' | 'dstu2' } = {},
) {
  const acceptedForms = noAcceptedForms();
  for (const name of accepted) acceptedForms.accepted.add(name);
  const state: SearchState = { remaining: [search] };
  const tried: string[] = [];
  while (fallBack(state, refused, release, acceptedForms)) tried.push(state.remaining[0] ?? '');
  return { tried, state };
}

describe('the forms of a refused search', () => {
  it('changes the page size first, then includes and dates, then the meaning', () => {
    const search = 'Goal?patient=1&_count=500&_revinclude=Provenance%3Atarget&_lastUpdated=ge2026';
    const { tried, state } = chain(search);
    expect(tried).toEqual([
      'Goal?patient=1&_count=100&_revinclude=Provenance%3Atarget&_lastUpdated=ge2026',
      'Goal?patient=1&_count=50&_revinclude=Provenance%3Atarget&_lastUpdated=ge2026',
      'Goal?patient=1&_revinclude=Provenance%3Atarget&_lastUpdated=ge2026',
      'Goal?patient=1&_lastUpdated=ge2026',
      'Goal?patient=1',
      expect.stringMatching(/^Goal\?patient=1&lifecycle-status=accepted,.*,rejected$/),
      'Goal?patient=1&lifecycle-status=accepted',
    ]);
    expect(state).toEqual({ remaining: [search] });
  });

  it('keeps the parameters that other searches had', () => {
    const { tried } = chain('Coverage?patient=1&_count=500&_revinclude=Provenance%3Atarget', {
      accepted: ['_count', '_revinclude'],
    });
    expect(tried).toEqual([
      'Coverage?patient=1&_revinclude=Provenance%3Atarget',
      'Coverage?patient=1&_count=500',
      'Coverage?beneficiary=Patient/1&_count=500&_revinclude=Provenance%3Atarget',
    ]);
  });

  it('adds parameters at once when the OperationOutcome says that one is required', () => {
    const { tried } = chain('Observation?patient=1&_count=500', { refused: refusal(400, 'required') });
    expect(tried[0]).toMatch(/^Observation\?patient=1&_count=500&status=amended,/);
    expect(tried[1]).toMatch(/^Observation\?patient=1&_count=500&category=vital-signs,/);
    expect(tried.at(-1)).toBe('Observation?patient=1');
  });

  it('makes one search for each category when a list of them is refused', () => {
    const acceptedForms = noAcceptedForms();
    const state: SearchState = { remaining: ['Observation?patient=1&category=a,b\\,c,d'] };
    expect(fallBack(state, refusal(), 'r4', acceptedForms)).toBe(true);
    expect(state.remaining).toEqual([
      'Observation?patient=1&category=a',
      'Observation?patient=1&category=b%5C,c',
      'Observation?patient=1&category=d',
    ]);
    expect(acceptSearch(state, 'r4', acceptedForms)).toEqual([]);
    state.remaining.shift();
    expect(fallBack(state, refusal(), 'r4', acceptedForms)).toBe(false);
    expect(state.remaining).toHaveLength(2);
  });

  it('changes page size and includes, but not the meaning, after 403', () => {
    const { tried } = chain('Goal?patient=1&_count=500&_lastUpdated=ge2026', { refused: refusal(403) });
    expect(tried).toEqual([
      'Goal?patient=1&_count=100&_lastUpdated=ge2026',
      'Goal?patient=1&_count=50&_lastUpdated=ge2026',
      'Goal?patient=1&_lastUpdated=ge2026',
    ]);
    expect(chain('Goal?patient=1&_count=500', { refused: refusal(404) }).tried).toEqual([]);
    expect(chain('Patient/1').tried).toEqual([]);
  });

  it('tries patientId in DSTU2', () => {
    expect(chain('Goal?patient=1', { release: 'dstu2' }).tried).toContain('Goal?patientId=1');
  });
});

describe('an accepted form', () => {
  it('names the parameter that limits the search', () => {
    const acceptedForms = noAcceptedForms();
    const state: SearchState = { remaining: ['Condition?patient=1'] };
    fallBack(state, refusal(), 'r4', acceptedForms);
    expect(acceptSearch(state, 'r4', acceptedForms)).toEqual([
      { code: 'limited_search', message: expect.stringContaining('category') },
    ]);
  });

  it('sets the page size of the next types', () => {
    const acceptedForms = noAcceptedForms();
    const state: SearchState = { remaining: ['Goal?patient=1&_count=500'] };
    fallBack(state, refusal(), 'r4', acceptedForms);
    expect(acceptSearch(state, 'r4', acceptedForms).map(({ code }) => code)).toEqual(['page_size_refused']);
    const next: SearchState = { remaining: ['Patient/1', 'Flag?patient=1&_count=500'] };
    applyAcceptedForms(next, acceptedForms);
    expect(next.remaining).toEqual(['Patient/1', 'Flag?patient=1&_count=100']);
  });

  it('sets no page size for others when others had a larger one', () => {
    const acceptedForms = noAcceptedForms();
    acceptSearch({ remaining: ['Flag?patient=1&_count=500'] }, 'r4', acceptedForms);
    const state: SearchState = { remaining: ['Goal?patient=1&_count=500'] };
    fallBack(state, refusal(), 'r4', acceptedForms);
    expect(state.remaining).toEqual(['Goal?patient=1']);
    acceptSearch(state, 'r4', acceptedForms);
    expect(acceptedForms.pageSize).toBe(500);
  });

  it('leaves out Provenance in the next types when it was refused', () => {
    const acceptedForms = noAcceptedForms();
    acceptedForms.accepted.add('_count');
    const state = (): SearchState => ({
      remaining: ['Goal?patient=1&_revinclude=Provenance%3Atarget'],
      provenance: 'included',
    });
    const [first, second] = [state(), state()];
    fallBack(first, refusal(), 'r4', acceptedForms);
    acceptSearch(first, 'r4', acceptedForms);
    applyAcceptedForms(second, acceptedForms);
    for (const each of [first, second])
      expect(each).toMatchObject({ remaining: ['Goal?patient=1'], provenance: 'omitted' });
  });
});

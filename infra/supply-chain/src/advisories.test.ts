import { NoReport, advisoryExplanations, findAdvisoryProblems } from './advisories';

/** As `npm audit --json` prints it: `app` is affected by `parser`, in which the vulnerability lies. */
const output = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    app: { name: 'app', severity: 'high', via: ['parser'] },
    parser: {
      name: 'parser',
      severity: 'high',
      via: [
        {
          source: 1,
          name: 'parser',
          dependency: 'parser',
          title: 'Denial of service',
          url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
          severity: 'high',
          range: '<2.0.0',
        },
      ],
    },
  },
});
const explained = (until: string, advisory = 'GHSA-aaaa-bbbb-cccc') =>
  advisoryExplanations.parse({
    explained: [{ advisory, package: 'parser', reason: 'Only files of this repository are parsed.', until }],
  });
const today = '2026-11-22';

describe('the advisories of the packages', () => {
  it('are reported once, for the package with the vulnerability', () => {
    expect(findAdvisoryProblems(output, { explained: [] }, today)).toEqual([
      'parser GHSA-aaaa-bbbb-cccc: high, Denial of service (versions <2.0.0)',
    ]);
  });

  it('can be explained for a limited time', () => {
    expect(findAdvisoryProblems(output, explained('2026-11-23'), today)).toEqual([]);
    expect(findAdvisoryProblems(output, explained('2026-11-22'), today)).toEqual([
      'parser GHSA-aaaa-bbbb-cccc: its explanation was valid until 2026-11-22',
    ]);
  });

  it('leave no explanation behind', () => {
    const none = JSON.stringify({ auditReportVersion: 2, vulnerabilities: {} });
    expect(findAdvisoryProblems(none, { explained: [] }, today)).toEqual([]);
    expect(findAdvisoryProblems(none, explained('2027-01-01'), today)).toEqual([
      'parser GHSA-aaaa-bbbb-cccc: nothing reports it any more; remove it from advisories.json',
    ]);
  });

  it.each(['', 'npm error', '{"message":"405 Method Not Allowed","error":{"summary":"","detail":""}}'])(
    'are unknown when the registry answers %j',
    (text) => expect(() => findAdvisoryProblems(text, { explained: [] }, today)).toThrow(NoReport),
  );
});

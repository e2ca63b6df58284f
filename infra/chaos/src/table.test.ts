import { Findings } from './findings';
import { type Row, isClean, renderTable } from './table';

const row = (changes: Partial<Row> = {}): Row => ({
  fault: 'kill-auth',
  requests: 120,
  errors: 3,
  recoverySeconds: 2.345,
  findings: new Findings(),
  notes: ['refresh: 503 × 3'],
  ...changes,
});

it('shows a row for each fault, with its notes and findings below', () => {
  const findings = new Findings();
  findings.add('lost', 'create x');
  findings.add('lost', 'create x');
  findings.add('duplicated', 'create y');
  const lines = renderTable([
    row(),
    row({ fault: 'rolling', recoverySeconds: Number.POSITIVE_INFINITY, findings }),
  ]).split('\n');
  expect(lines[2]?.split(/\s{2,}/)).toEqual(['kill-auth', '120', '3', '2.3', '0', '0', '0']);
  expect(lines[4]?.split(/\s{2,}/)).toEqual(['rolling', '120', '3', 'never', '1', '1', '0']);
  expect(lines.slice(5).map((line) => line.trim())).toEqual([
    'refresh: 503 × 3',
    'lost: create x',
    'duplicated: create y',
  ]);
});

it('is clean only without findings and with a quick recovery', () => {
  const findings = new Findings();
  findings.add('falsely complete', 'an export');
  expect([isClean(row(), 30), isClean(row({ recoverySeconds: 31 }), 30), isClean(row({ findings }), 30)]).toEqual([
    true,
    false,
    false,
  ]);
});

import type { LoadProgress } from '../loading/load-file';
import type { LoadReport } from '../loading/load-report';
import { releaseSources } from '../loading/release';
import type { VerifyProgress, VerifyReport } from '../verification/verify-endpoints';

/** Formats the report of a load as text: a line, and a table of what was taken, merged and left out, by reason. */
export function formatReport(report: LoadReport): string {
  const { source, status, format, total, added, changed, removed, organizations, endpoints, seconds } = report;
  if (status === 'unchanged') return `${source}: nothing changed since the last load; ${total} health systems`;
  const rows: Row[] = [
    [total, 'taken', format === 'list' ? 'health systems, from rows of a list' : 'health systems', []],
    ...releaseSources
      .filter((foundBy) => report.releases[foundBy] > 0)
      .map((foundBy): Row => [
        report.releases[foundBy],
        'taken',
        `endpoints, FHIR release ${foundByText[foundBy]}`,
        [],
      ]),
    ...report.merged.map(({ count, reason, examples }): Row => [count, 'merged', reason, examples]),
    ...report.rejected.map(({ count, resource, reason, examples }): Row => [
      count,
      'left out',
      `${resource}, ${reason}`,
      examples,
    ]),
  ];
  return [
    `${source}: ${total} health systems from ${organizations} organizations and ${endpoints} endpoints in ${seconds} s (${added} added, ${changed} changed, ${removed} removed)`,
    ...table(rows),
  ].join('\n');
}

const foundByText = {
  extension: 'stated in the file',
  address: 'found in the address',
  file: 'given by --release',
  metadata: 'stated by /metadata',
};

type Row = [count: number, what: string, reason: string, examples: string[]];

function table(rows: Row[]): string[] {
  const width = Math.max(...rows.map(([count]) => String(count).length));
  return rows.map(([count, what, reason, examples]) => {
    const shown = examples.length > 0 ? `: ${examples.join('; ')}${count > examples.length ? '; …' : ''}` : '';
    return `  ${String(count).padStart(width)}  ${what.padEnd(8)}  ${reason}${shown}`;
  });
}

/** Formats the progress of a load. */
export function formatLoading(title: string, { bytes, size, organizations, endpoints }: LoadProgress): string {
  const share = size ? ` ${String(Math.floor((100 * bytes) / size)).padStart(3)} %` : '';
  return `${title}:${share} ${(bytes / 1e6).toFixed(1)} MB, ${organizations} organizations, ${endpoints} endpoints`;
}

/** Formats the progress of a verification, with its rate and the time that remains. @param elapsedMs since its start */
export function formatVerifying({ done, total, failed }: VerifyProgress, elapsedMs: number): string {
  const rate = (1000 * done) / Math.max(elapsedMs, 1);
  return `verified ${done} of ${total} endpoints, ${failed} failed, ${rate.toFixed(1)}/s, ${duration((total - done) / rate)} left`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats the report of a verification as text. */
export function formatVerification(report: VerifyReport): string {
  const { addresses, due, answered, failed, elsewhere, fhirVersions, smart, problems, otherRelease, seconds } = report;
  const counts = (values: Record<string, number>, text: (name: string) => string): Row[] =>
    Object.entries(values)
      .sort(([, one], [, other]) => other - one)
      .map(([name, count]): Row => [count, 'answered', text(name), []]);
  const rows: Row[] = [
    ...counts(fhirVersions, (version) => (version === 'unknown' ? 'no FHIR version' : `FHIR ${version}`)),
    ...counts(smart, (support) => (support === 'none' ? 'no SMART configuration' : `SMART by ${support}`)),
    ...(otherRelease.count > 0
      ? [[otherRelease.count, 'differ', 'another release than the directory says', otherRelease.examples] as Row]
      : []),
    ...problems.map(({ problem, count, examples }): Row => [count, 'failed', problem, examples]),
    ...(elsewhere > 0 ? [[elsewhere, 'skipped', 'verified by another run', []] as Row] : []),
  ];
  return [
    `${due} of ${addresses} endpoints were due: ${answered} answered, ${failed} failed, in ${seconds} s`,
    ...(rows.length > 0 ? table(rows) : []),
  ].join('\n');
}

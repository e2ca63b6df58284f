import type { LoadReport } from '../loading/load-report';

/** Formats the report of a load as text. */
export function formatReport({
  source,
  status,
  total,
  added,
  changed,
  removed,
  organizations,
  endpoints,
  rejected,
  seconds,
}: LoadReport): string {
  if (status === 'unchanged') return `${source}: nothing changed since the last load; ${total} health systems`;
  const lines = [
    `${source}: ${total} health systems from ${organizations} organizations and ${endpoints} endpoints in ${seconds} s (${added} added, ${changed} changed, ${removed} removed)`,
  ];
  for (const { resource, reason, count, examples } of rejected)
    lines.push(
      `  left out: ${count} × ${resource}, ${reason}: ${examples.join('; ')}${count > examples.length ? '; …' : ''}`,
    );
  return lines.join('\n');
}

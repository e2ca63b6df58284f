import { z } from 'zod';

/** advisories.json: known vulnerabilities that do not affect the suite, each for a limited time. */
export const advisoryExplanations = z.strictObject({
  explained: z.array(
    z.strictObject({
      /** The last part of the advisory's address, such as GHSA-xxxx-xxxx-xxxx. */
      advisory: z.string(),
      package: z.string(),
      /** Why the vulnerable code is not reached. */
      reason: z.string().min(20),
      /** The day from which the advisory is reported again. */
      until: z.iso.date(),
    }),
  ),
});
export type AdvisoryExplanations = z.infer<typeof advisoryExplanations>;

const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(
        z.union([
          z.string(),
          z.object({ name: z.string(), title: z.string(), url: z.string(), severity: z.string(), range: z.string() }),
        ]),
      ),
    }),
  ),
});

/** The registry has not answered, or cannot answer this question. */
export class NoReport extends Error {
  override readonly name = 'NoReport';
}

/**
 * Finds the advisories that nobody has explained, and the explanations that have expired or that no advisory needs.
 * @param output of `npm audit --json`
 * @param today as YYYY-MM-DD
 * @throws NoReport when the output is no report
 */
export function findAdvisoryProblems(output: string, { explained }: AdvisoryExplanations, today: string): string[] {
  const advisories = new Map<string, Advisory>(
    readAdvisories(output).map((advisory) => [`${advisory.package} ${advisory.id}`, advisory]),
  );
  const problems: string[] = [];
  for (const one of explained) {
    const key = `${one.package} ${one.advisory}`;
    if (!advisories.has(key)) problems.push(`${key}: nothing reports it any more; remove it from advisories.json`);
    else if (one.until <= today) problems.push(`${key}: its explanation was valid until ${one.until}`);
    advisories.delete(key);
  }
  for (const { id, package: name, severity, title, range } of advisories.values())
    problems.push(`${name} ${id}: ${severity}, ${title} (versions ${range})`);
  return problems;
}

interface Advisory {
  id: string;
  package: string;
  severity: string;
  title: string;
  range: string;
}

function readAdvisories(output: string): Advisory[] {
  let parsed: z.ZodSafeParseResult<z.infer<typeof report>>;
  try {
    parsed = report.safeParse(JSON.parse(output));
  } catch {
    throw new NoReport('npm audit printed no JSON');
  }
  if (!parsed.success) throw new NoReport('the registry of packages does not report vulnerabilities');
  return Object.values(parsed.data.vulnerabilities).flatMap(({ via }) =>
    // A name stands for another entry of the report, by which this package is affected.
    via.flatMap((one) =>
      typeof one === 'string' ? [] : { ...one, package: one.name, id: one.url.slice(one.url.lastIndexOf('/') + 1) },
    ),
  );
}

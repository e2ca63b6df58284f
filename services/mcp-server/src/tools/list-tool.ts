import { releasesNewestFirst } from '@tributary/contracts';
import { parseDateTime } from '@tributary/fhir-json';
import { z } from 'zod';
import { type Entry, type Period, listEntries } from '../categories/list-entries';
import { type RecordCategory, baseEntry } from '../categories/record-category';
import { narrowToPerson } from '../record/people';
import { pageOf } from '../record/paging';
import { readRecordState } from '../record/record-state';
import { type Tool, cursor, defineTool, limitOf, nextCursor, notes, patient, period, withNotes } from './tool';

/** The tool that lists the entries of a category. */
export function listTool(category: RecordCategory): Tool {
  const types = new Set(releasesNewestFirst.flatMap((release) => category.searches[release].map(({ type }) => type)));
  return defineTool({
    name: category.tool,
    title: category.title,
    description: `${category.description} Entries that a health system publishes in several FHIR releases are joined.`,
    input: z.strictObject({
      patient,
      text: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Only entries with this text in the name or with this code.'),
      ...period,
      ...(category.current === undefined
        ? {}
        : { current_only: z.boolean().default(false).describe(`true: ${category.current}.`) }),
      limit: limitOf(25, 100),
      cursor,
    }),
    output: z.object({
      total: z.int().describe('How many entries match, over all pages.'),
      entries: z.array(baseEntry.extend(category.fields.shape)),
      next_cursor: nextCursor,
      notes,
    }),
    async run(input, api) {
      const whose = await narrowToPerson(api, input.patient);
      const [{ entries, notes: read }, state] = await Promise.all([
        listEntries(api, category, input),
        readRecordState(api, types),
      ]);
      const matching = entries.filter((entry) => matches(entry, input));
      const { shown, nextCursor: next } = pageOf(category.tool, matching, input.cursor, input.limit);
      const noted = [...whose, ...state, ...read];
      const found =
        matching.length === 0
          ? `No ${category.noun} were found${isFiltered(input) ? ' with these arguments' : ''}.`
          : `${matching.length} ${category.noun}${shown.length < matching.length ? `, of which ${shown.length} here` : ''}:`;
      return {
        text: withNotes([found, ...shown.map(({ text }) => text)], noted, next),
        data: { total: matching.length, entries: shown.map(({ data }) => data), next_cursor: next, notes: noted },
      };
    },
  });
}

interface Filter extends Period {
  text?: string | undefined;
  current_only?: unknown;
}

function isFiltered({ text, since, until, current_only }: Filter): boolean {
  return text !== undefined || since !== undefined || until !== undefined || current_only === true;
}

function matches({ data, time, isCurrent }: Entry, { text, since, until, current_only }: Filter): boolean {
  if (current_only === true && isCurrent === false) return false;
  if (since !== undefined && (time === undefined || time < (parseDateTime(since)?.low ?? -Infinity))) return false;
  if (until !== undefined && (time === undefined || time > (parseDateTime(until)?.high ?? Infinity))) return false;
  const wanted = text?.toLowerCase();
  return (
    wanted === undefined ||
    data.name.toLowerCase().includes(wanted) ||
    data.codes.some((code) => code.toLowerCase() === wanted || code.toLowerCase().endsWith(` ${wanted}`))
  );
}

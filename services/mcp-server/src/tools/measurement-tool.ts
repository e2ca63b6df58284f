import { z } from 'zod';
import { headingText } from '../fhir/concepts';
import { type Group, type MeasuredValue, readMeasurements } from '../observations/read-measurements';
import {
  type Series,
  type Trend,
  componentTrend,
  componentTrendsOf,
  groupBySeries,
  sortTimeOf,
  trend,
  trendOf,
} from '../observations/series';
import { referencesText } from '../record/join-releases';
import { narrowToPerson } from '../record/people';
import { type Position, comparePositions, noTime, pageOf } from '../record/paging';
import { readRecordState } from '../record/record-state';
import { type Tool, cursor, defineTool, limitOf, nextCursor, notes, patient, period, withNotes } from './tool';

const value = z.object({
  reference: z.string(),
  also_in: z.array(z.string()),
  date: z.string().optional(),
  value: z.string().describe('With its unit.'),
  flag: z.string().optional().describe('Such as high or abnormal.'),
  reference_range: z.string().optional(),
  status: z.string().optional().describe('Where it is not final.'),
  note: z.string().optional(),
});

const series = z.object({
  name: z.string(),
  codes: z.array(z.string()),
  unit: z.string().optional(),
  count: z.int().describe('How many results the test has in the period.'),
  first_date: z.string().optional(),
  trend: trend.optional().describe('Of the numbers in the period; absent when there are fewer than two.'),
  component_trends: z
    .array(componentTrend)
    .optional()
    .describe('Of the components, such as systolic and diastolic pressure.'),
  results: z.array(value).describe('The latest results, newest first.'),
});

/** The tool that lists the tests of a group, each with its latest results and its trend. */
export function measurementTool(
  group: Group,
  tool: Pick<Tool, 'name' | 'title' | 'description'> & { noun: string },
): Tool {
  return defineTool({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    input: z.strictObject({
      patient,
      test: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe(
          'Only this test: a code such as 4548-4 or "LOINC 4548-4", or words of its name such as "hemoglobin".',
        ),
      ...period,
      history: z.int().min(1).max(100).default(5).describe('The maximum number of results of each test.'),
      limit: limitOf(25, 100),
      cursor,
    }),
    output: z.object({
      total: z.int().describe('How many tests there are, over all pages.'),
      tests: z.array(series),
      next_cursor: nextCursor,
      notes,
    }),
    async run({ patient: named, test, since, until, history, limit, cursor: from }, api) {
      const whose = await narrowToPerson(api, named);
      const [{ values, notes: read }, state] = await Promise.all([
        readMeasurements(api, group, { test, since, until }),
        readRecordState(api, new Set(['Observation'])),
      ]);
      const entries = groupBySeries(values).map((each) => ({
        position: positionOf(each),
        text: textOf(each, history),
        data: dataOf(each, history),
      }));
      entries.sort((one, other) => comparePositions(one.position, other.position));
      const { shown, nextCursor: next } = pageOf(tool.name, entries, from, limit);
      const noted = [...whose, ...state, ...read];
      const found =
        entries.length === 0
          ? `No ${tool.noun} were found${test || since || until ? ' with these arguments' : ''}.`
          : `${values.length} ${tool.noun} of ${entries.length} ${entries.length === 1 ? 'test' : 'tests'}${shown.length < entries.length ? `, of which ${shown.length} here` : ''}, each with the latest ${history} at most, newest first:`;
      return {
        text: withNotes([found, ...shown.map(({ text }) => text)], noted, next),
        data: { total: entries.length, tests: shown.map(({ data }) => data), next_cursor: next, notes: noted },
      };
    },
  });
}

function positionOf({ values, key }: Series): Position {
  const [latest] = values;
  return [0, latest ? sortTimeOf(latest) : noTime, key];
}

function dataOf(one: Series, history: number): Record<string, unknown> {
  const { name, codes, unit, values } = one;
  const components = componentTrendsOf(one);
  return {
    name,
    codes,
    unit,
    count: values.length,
    first_date: values.at(-1)?.entry.date,
    trend: trendOf(one),
    component_trends: components.length === 0 ? undefined : components,
    results: values.slice(0, history).map(({ entry: measurement, alsoIn }) => ({
      reference: measurement.reference,
      also_in: alsoIn,
      date: measurement.date,
      value: measurement.value,
      flag: measurement.flag,
      reference_range: measurement.range,
      status: measurement.status,
      note: measurement.note,
    })),
  };
}

function textOf(one: Series, history: number): string {
  const { values } = one;
  const overall = trendOf(one);
  const range = values[0]?.entry.range;
  const heading = [
    headingText(one),
    range === undefined ? '' : `; reference range ${range}`,
    overall ? `; ${trendText(overall)}` : '',
    ...componentTrendsOf(one).map((component) => `; ${component.name}: ${trendText(component)}`),
    values.length > history ? `; ${values.length} results since ${values.at(-1)?.entry.date ?? 'an unknown date'}` : '',
  ];
  return [heading.join(''), ...values.slice(0, history).map(resultText)].join('\n');
}

function trendText({ change, percent, lowest, highest }: Trend): string {
  const relative = percent === undefined ? '' : ` (${signed(percent)} %)`;
  return `change ${signed(change)}${relative} since the result before, lowest ${lowest}, highest ${highest}`;
}

function resultText(measured: MeasuredValue): string {
  const { date, value: result, flag, status, note } = measured.entry;
  const said = [result, flag, status, note].filter(Boolean).join('; ');
  return `  ${date ?? 'undated'}: ${said} [${referencesText(measured)}]`;
}

function signed(change: number): string {
  return change > 0 ? `+${change}` : String(change);
}

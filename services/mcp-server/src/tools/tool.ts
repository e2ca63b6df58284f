import { parseDateTime } from '@tributary/fhir-json';
import { z } from 'zod';
import type { RecordApi } from '../record/record-api';

/** What a tool answers: text for the model, and the same as data of the tool's output schema. */
export interface Answer {
  text: string;
  data: Record<string, unknown>;
}

/** A tool that reads the record. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: z.ZodObject;
  /** @throws ToolError whose message states what the model can do */
  run(input: z.output<Input>, api: RecordApi): Promise<Answer>;
}

/** Infers the type of the arguments from the schema, for a list of tools with different ones. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** A date that limits an answer: a year, a month, a day or a time, as FHIR writes it. */
const date = z
  .string()
  .refine((text) => parseDateTime(text) !== undefined, 'must be a date such as 2024, 2024-03 or 2024-03-31');

export const period = {
  since: date.optional().describe('Only entries on or after this date, such as 2024 or 2024-03-31.'),
  until: date.optional().describe('Only entries on or before this date; a year or month is included as a whole.'),
};

export const patient = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe(
    'Whose entries: a name, or the reference of a Patient such as r4/Patient/123. Needed when the record has several people; the answer then names them.',
  );

/** The maximum length of the query of a page: a page token of fhir-store has up to 16,000 characters. */
export const maxPageQuery = 17_000;

export const cursor = z
  .string()
  // The query of a page as JSON in base64.
  .max(24_000)
  .optional()
  .describe('next_cursor of the previous answer, to continue it. Leave the other arguments as they were.');

export const limitOf = (fallback: number, maximum: number) =>
  z
    .int()
    .min(1)
    .max(maximum)
    .default(fallback)
    .describe('The maximum number of entries; an answer can have fewer, to stay short.');

export const nextCursor = z
  .string()
  .optional()
  .describe('More entries exist: call the tool again with this cursor. Absent at the end.');

export const notes = z.array(z.string()).describe('What limits this answer, such as a collection that is incomplete.');

/** The notes of an answer as its last lines. */
export function withNotes(lines: readonly string[], noted: readonly string[], next: string | undefined): string {
  const continued = next === undefined ? [] : ['', `More entries exist: call again with cursor "${next}".`];
  return [...lines, ...(noted.length === 0 ? [] : ['', ...noted.map((note) => `Note: ${note}`)]), ...continued].join(
    '\n',
  );
}

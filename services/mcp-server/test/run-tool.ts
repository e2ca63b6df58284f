import { randomUUID } from 'node:crypto';
import { RecordApi } from '../src/record/record-api';
import { tools } from '../src/tools/tools';
import type { FakeRecord } from './fake-record';

export interface Answered {
  text: string;
  data: Record<string, unknown>;
}

/** Calls a tool as the endpoint does, and validates its answer by its output schema. */
export async function runTool(
  record: FakeRecord,
  name: string,
  input: Record<string, unknown> = {},
  maxCharacters?: number,
): Promise<Answered> {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  const signal = new AbortController().signal;
  const api = new RecordApi(record.api, { token: 'token', requestId: randomUUID(), signal }, maxCharacters);
  const { text, data } = await tool.run(tool.input.parse(input), api);
  return { text, data: tool.output.parse(JSON.parse(JSON.stringify(data))) };
}

/** Every page of a list tool, following the cursors. */
export async function allPages(record: FakeRecord, name: string, input: Record<string, unknown>): Promise<Answered[]> {
  const pages: Answered[] = [];
  let cursor: unknown;
  do {
    const page = await runTool(record, name, { ...input, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page);
    cursor = page.data['next_cursor'];
  } while (cursor !== undefined && pages.length < 1000);
  return pages;
}

/// <reference types="jest" />
import type { Page, Response as PageResponse } from 'playwright-core';
import { type Answer, DocumentedAnswers } from './documented-answers';
import { readySuite } from './ready';

/**
 * Every response that a journey gets from the suite by `fetch`, or by a page of `checkAnswersOf`, is compared with the
 * OpenAPI documents, and the file fails at its end when one is not documented. jest loads this before each file. Only
 * JSON bodies are read a second time, so large files and open streams are not buffered.
 */
const original = globalThis.fetch;
const documented = new DocumentedAnswers(readySuite(), original);
const answers: Promise<Answer | undefined>[] = [];

globalThis.fetch = async (input, init) => {
  const response = await original(input, init);
  const url = input instanceof Request ? input.url : String(input);
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
  if (documented.concerns(method, url)) answers.push(answerOf(method, url, response));
  return response;
};

async function answerOf(method: string, url: string, response: Response): Promise<Answer> {
  const { status, headers } = response;
  const isJson = /[/+]json\b/.test(headers.get('content-type') ?? '');
  // A body that the journey interrupts is compared without its content.
  const text = isJson
    ? await response
        .clone()
        .text()
        .catch(() => undefined)
    : undefined;
  return { method, url, status, headers, hasBody: response.body !== null, ...(text === undefined ? {} : { text }) };
}

/** Compares also the responses that the scripts of a page get from the suite. */
export function checkAnswersOf(page: Page): void {
  page.on('response', (response) => {
    if (documented.concerns(response.request().method(), response.url())) answers.push(answerOfPage(response));
  });
}

/** Undefined when the page is closed before the browser has told the headers. */
async function answerOfPage(response: PageResponse): Promise<Answer | undefined> {
  const headers = await response.allHeaders().catch(() => undefined);
  if (headers === undefined) return undefined;
  const isJson = /[/+]json\b/.test(headers['content-type'] ?? '');
  const text = isJson ? await response.text().catch(() => undefined) : undefined;
  return {
    method: response.request().method(),
    url: response.url(),
    status: response.status(),
    headers: new Headers(headers),
    // The browser tells the body and not whether there is one. One without a Content-Type is not compared.
    hasBody: true,
    ...(text === undefined ? {} : { text }),
  };
}

afterAll(async () => {
  const problems = new Set<string>();
  for (const answer of await Promise.all(answers))
    if (answer) for (const problem of await documented.problems(answer)) problems.add(problem);
  expect([...problems].sort()).toEqual([]);
});

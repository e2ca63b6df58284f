import type { ReactNode } from 'react';
import { CodeBlock } from '../components/code-block';
import { Notice } from '../components/notice';
import { Status } from '../components/status';
import { numberText } from '../text';
import { prettyJson } from './pretty-json';

/** The answer to a request, as far as it is shown. */
export interface Received {
  status: number;
  statusText: string;
  milliseconds: number;
  headers: readonly (readonly [string, string])[];
  text: string;
  isCut: boolean;
}

/** In characters: what a page shows without becoming slow. */
const maxShown = 200_000;

/** Reads an answer as far as it is shown. @param begun `performance.now` of the request */
export async function receive(response: Response, begun: number): Promise<Received> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    if (text.length <= maxShown) continue;
    await reader?.cancel().catch(() => undefined);
    break;
  }
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - begun),
    headers: [...response.headers].toSorted(([one], [other]) => one.localeCompare(other)),
    text: text.slice(0, maxShown),
    isCut: text.length > maxShown,
  };
}

export function AnswerView({ answer }: { answer: Received }): ReactNode {
  const { status, statusText, milliseconds, headers, text, isCut } = answer;
  const kind = status < 300 ? 'good' : status < 500 ? 'warning' : 'bad';
  const isJson = headers.some(([name, value]) => name === 'content-type' && /[/+]json/.test(value));
  return (
    <section className="answer" aria-label="Answer">
      <h3>Answer</h3>
      <p className="answer-head">
        <Status kind={kind}>{`${status} ${statusText}`.trim()}</Status>
        <span className="muted">
          {numberText(milliseconds)} ms, {isCut ? 'more than ' : ''}
          {numberText(text.length)} characters
        </span>
      </p>
      <details className="curl">
        <summary>Headers ({headers.length})</summary>
        <CodeBlock text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} what="the headers" />
      </details>
      {isCut && <Notice kind="warning">The answer is longer than what is shown here. Get the whole by curl.</Notice>}
      {text === '' ? (
        <p className="muted">The answer has no body.</p>
      ) : (
        <CodeBlock text={isJson ? prettyJson(text) : text} what="the body" />
      )}
    </section>
  );
}

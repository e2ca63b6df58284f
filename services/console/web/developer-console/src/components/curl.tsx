import type { ReactNode } from 'react';
import { facts } from '../facts';
import { CodeBlock } from './code-block';

export interface CurlProps {
  clientId: string;
  /** The API whose base URL the path follows. */
  api: keyof typeof facts.urls;
  path: string;
  method?: 'POST' | 'PATCH' | 'DELETE';
  body?: object;
}

/** The command by which an application does what a page shows. */
export function curlOf({ clientId, api, path, method, body }: CurlProps): string {
  const lines = [
    `curl${method === undefined ? '' : ` -X ${method}`} ${quoted(`${facts.urls[api]}/${path}`)}`,
    `-H ${quoted(`client_id: ${clientId}`)}`,
    '-H "client_secret: $CLIENT_SECRET"',
    ...(body === undefined
      ? []
      : [`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same, to be opened. */
export function AsCurl(props: CurlProps): ReactNode {
  return (
    <details className="curl">
      <summary>As curl</summary>
      <CodeBlock text={curlOf(props)} what="the command" />
    </details>
  );
}

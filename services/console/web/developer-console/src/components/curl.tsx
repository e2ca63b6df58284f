import type { ReactNode } from 'react';
import { facts } from '../facts';
import { CodeBlock } from './code-block';

export interface CurlProps {
  /** The client that sends the request; absent: its user does, with an access token. */
  clientId?: string;
  /** The API whose base URL the path follows. */
  api: keyof typeof facts.urls;
  path: string;
  method?: 'POST' | 'PATCH' | 'DELETE';
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  body?: object;
}

/** The command by which an application does what a page shows. */
export function curlOf({ clientId, api, path, method, headers = {}, body }: CurlProps): string {
  return command({
    ...(method === undefined ? {} : { method }),
    url: `${facts.urls[api]}/${path}`,
    headers: [
      ...(clientId === undefined
        ? ['"Authorization: Bearer $ACCESS_TOKEN"']
        : [quoted(`client_id: ${clientId}`), '"client_secret: $CLIENT_SECRET"']),
      // An export of a client has the records of all of its users.
      ...(api === 'analytics_url' ? ["'x-service-user-id: client'"] : []),
      ...Object.entries(headers).map(([name, value]) => quoted(`${name}: ${value}`)),
    ],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export interface Command {
  /** GET by default. */
  method?: string;
  url: string;
  /** For HTTP Basic; for the shell, as the headers. */
  user?: string;
  /** For the shell: quoted, with the variables that it replaces. */
  headers: readonly string[];
  /** JSON, unless the type of the content is another. */
  body?: string;
  contentType?: string;
}

/** A command of curl for a POSIX shell. */
export function command({ method, url, user, headers, body, contentType = 'application/json' }: Command): string {
  const lines = [
    `curl${method === undefined ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(user === undefined ? [] : [`-u ${user}`]),
    ...headers.map((header) => `-H ${header}`),
    ...(body === undefined ? [] : [`-H ${quoted(`Content-Type: ${contentType}`)}`, `-d ${quoted(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

/** The command by which an application exchanges a code of a user for tokens. */
export function codeExchange(clientId: string, code: string): string {
  return [
    `curl -X POST ${quoted(`${facts.urls.auth_url}/oauth2/token`)}`,
    '-d grant_type=authorization_code',
    `-d "code=${code}"`,
    `-d ${quoted(`client_id=${clientId}`)}`,
    '--data-urlencode "client_secret=$CLIENT_SECRET"',
  ].join(' \\\n  ');
}

/** For a POSIX shell. */
export function quoted(text: string): string {
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

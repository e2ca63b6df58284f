import type { ReactNode } from 'react';
import type { ClientWithSecret } from '../api/answers';
import { Copyable } from '../components/copy-button';
import { download } from '../components/download';
import { Notice } from '../components/notice';
import { facts } from '../facts';

/** The credentials of a client, whose secret is shown this once. */
export function Credentials({ client }: { client: ClientWithSecret }): ReactNode {
  const { base_url, auth_url, search_url, analytics_url } = facts.urls;
  const variables = {
    CLIENT_ID: client.client_id,
    CLIENT_SECRET: client.client_secret,
    BASE_URL: base_url,
    AUTH_URL: auth_url,
    SEARCH_URL: search_url,
    ANALYTICS_URL: analytics_url,
  };
  const text = Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
  return (
    <>
      <Notice kind="warning">
        The secret is shown only now. Keep it on your server, where no browser and no repository has it.
      </Notice>
      <dl className="facts">
        <dt>client_id</dt>
        <dd>
          <Copyable text={client.client_id} what="client_id" />
        </dd>
        <dt>client_secret</dt>
        <dd>
          <Copyable text={client.client_secret} what="client_secret" />
        </dd>
      </dl>
      <button type="button" onClick={() => download(`${client.client_id}.env`, text)}>
        Download as .env
      </button>
    </>
  );
}

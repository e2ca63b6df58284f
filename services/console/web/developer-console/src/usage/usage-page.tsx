import { useQuery } from '@tanstack/react-query';
import type { LimitUsage } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { asClient, keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { type ClientPageProps, OfClient } from '../clients/of-client';
import { Answer } from '../components/answer';
import { AsCurl } from '../components/curl';
import { DataTable } from '../components/data-table';
import { Panel } from '../components/dialogs';
import { Status } from '../components/status';
import { Time } from '../components/time';
import { facts } from '../facts';
import { numberText } from '../text';
import { adviceOf, allowanceText } from './advice';

const apis = [
  {
    title: 'Users, connections and webhooks',
    api: 'base',
    url: 'base_url',
    path: 'user-management/v1/usage',
    lines: 6,
  },
  {
    title: 'Tokens, application, FHIR and search',
    api: 'auth',
    url: 'auth_url',
    path: 'client-management/v1/usage',
    lines: 4,
  },
  { title: 'Exports', api: 'analytics', url: 'analytics_url', path: 'bulk-data/v1/usage', lines: 4 },
  { title: 'Audit log', api: 'base', url: 'base_url', path: 'audit/v1/usage', lines: 2 },
] as const;

/** How much of its limits a client has used. */
export function UsagePage(): ReactNode {
  return <OfClient title="Usage">{(props) => <Usage {...props} />}</OfClient>;
}

function Usage({ client }: ClientPageProps): ReactNode {
  return (
    <>
      <p className="column">
        What this application has used of each limit. Looking here uses none of it. How to answer a refused request is
        in the <a href={`${facts.urls.base_url}/docs/api#limits-of-calls`}>documentation</a>.
      </p>
      <button type="button" onClick={() => void refresh(keys.usage(client.client_id))}>
        Look again
      </button>
      {apis.map((each) => (
        <UsageOfApi key={each.path} clientId={client.client_id} {...each} />
      ))}
    </>
  );
}

type UsageOfApiProps = (typeof apis)[number] & { clientId: string };

function UsageOfApi({ clientId, title, api, url, path, lines }: UsageOfApiProps): ReactNode {
  const [parameters, setParameters] = useSearchParams();
  const usage = useQuery({
    queryKey: [...keys.usage(clientId), path],
    queryFn: () => call<{ entry: LimitUsage[] }>('GET', asClient(clientId, api, path)),
    staleTime: 0,
  });
  const opened = usage.data?.entry.find(({ name }) => name === parameters.get('limit'));
  return (
    <section className="usage">
      <h2>{title}</h2>
      <Answer query={usage} lines={lines}>
        {({ entry }) =>
          entry.length === 0 ? (
            <p className="muted">The operator of this service has switched these limits off.</p>
          ) : (
            <DataTable
              caption={title}
              rows={entry}
              keyOf={({ name }) => name}
              open={({ name }) => setParameters({ limit: name })}
              columns={[
                { header: 'Limit', cell: ({ name }) => <code>{name}</code> },
                { header: 'Used', cell: (limit) => <Used limit={limit} /> },
                { header: 'State', cell: (limit) => <State limit={limit} />, isWideOnly: true },
                { header: 'Allowed', cell: allowanceText, isWideOnly: true },
              ]}
            />
          )
        }
      </Answer>
      <AsCurl clientId={clientId} api={url} path={path} />
      {opened && <LimitPanel limit={opened} close={() => setParameters({})} />}
    </section>
  );
}

const isShort = (limit: LimitUsage): boolean => shareOf(limit) >= 0.8;
const shareOf = ({ quota, remaining }: LimitUsage): number => (quota - remaining) / quota;

function Used({ limit }: { limit: LimitUsage }): ReactNode {
  return (
    <span className="used">
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${shareOf(limit) * 100}%` }} />
      </span>
      {numberText(limit.quota - limit.remaining)} of {numberText(limit.quota)}
      {/* Where the table has no column of it. */}
      {isShort(limit) && (
        <span className="narrow-only">
          <State limit={limit} />
        </span>
      )}
    </span>
  );
}

function State({ limit }: { limit: LimitUsage }): ReactNode {
  if (limit.remaining === 0) return <Status kind="bad">Used up</Status>;
  if (isShort(limit)) return <Status kind="warning">Nearly used up</Status>;
  return <Status kind="good">Enough left</Status>;
}

function LimitPanel({ limit, close }: { limit: LimitUsage; close: () => void }): ReactNode {
  return (
    <Panel title={limit.name} close={close}>
      <p>{limit.description}</p>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <State limit={limit} />
        </dd>
        <dt>Used</dt>
        <dd>
          <Used limit={limit} />
        </dd>
        <dt>Left</dt>
        <dd>{numberText(limit.remaining)}</dd>
        <dt>Allowed</dt>
        <dd>{allowanceText(limit)}</dd>
        {limit.resets_at !== null && (
          <>
            <dt>{limit.window_seconds === 3600 ? 'More from' : 'All again'}</dt>
            <dd>
              <Time iso={limit.resets_at} />
            </dd>
          </>
        )}
      </dl>
      <h3>When it is used up</h3>
      <p>{adviceOf(limit)}</p>
    </Panel>
  );
}

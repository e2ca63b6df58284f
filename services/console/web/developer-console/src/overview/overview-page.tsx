import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Activity, UserEntry } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { asClient, keys, useAnswer, usersPath } from '../api/queries';
import { call } from '../api/request';
import { OfClient, type ClientPageProps } from '../clients/of-client';
import { Answer } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { AsCurl, curlOf } from '../components/curl';
import { Empty } from '../components/empty';
import { mayChangeClients } from '../organisations/roles';
import { countText } from '../text';
import { type ChartProps, Collections, Failures, Resources, Webhooks } from './figure-cards';
import { type Period, isEmpty, periods } from './figures';

const pathOf = (days: number): string => `connect/v1/activity?days=${days}`;

/** What happened to the users of a client in the last days, in counts. */
export function OverviewPage(): ReactNode {
  return (
    <OfClient title="Overview" actions={() => <PeriodSwitch />}>
      {(props) => <Overview {...props} />}
    </OfClient>
  );
}

function usePeriod(): Period {
  const [parameters] = useSearchParams();
  return periods.find((period) => String(period) === parameters.get('days')) ?? 30;
}

function PeriodSwitch(): ReactNode {
  const current = usePeriod();
  return (
    <nav className="periods" aria-label="Period">
      {periods.map((period) => (
        <Link key={period} to={`?days=${period}`} replace aria-current={period === current ? 'true' : undefined}>
          {period} days
        </Link>
      ))}
    </nav>
  );
}

function useActivity(clientId: string, days: number, isEnabled = true) {
  return useQuery({
    queryKey: [...keys.activity(clientId), days],
    queryFn: () => call<Activity>('GET', asClient(clientId, 'base', pathOf(days))),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
}

function Overview({ client, organisation }: ClientPageProps): ReactNode {
  const period = usePeriod();
  const activity = useActivity(client.client_id, period);
  // The period before, where the counts are kept for as long.
  const isCompared = 2 * period <= 90;
  const { data: compared } = useActivity(client.client_id, 2 * period, isCompared);
  const before = isCompared && compared?.days.length === 2 * period ? compared.days : undefined;
  return (
    <Answer query={activity} lines={12}>
      {(answer) => (
        <>
          {isEmpty(answer.total) ? (
            <NothingYet
              clientId={client.client_id}
              period={answer.days.length}
              mayConnect={mayChangeClients(organisation.role)}
              look={() => void activity.refetch()}
            />
          ) : (
            // The figures of the period before stay while the chosen one is read.
            <div className={activity.isPlaceholderData ? 'dimmed' : undefined} aria-busy={activity.isPlaceholderData}>
              <Figures activity={answer} before={before} />
            </div>
          )}
          <AsCurl clientId={client.client_id} api="base_url" path={pathOf(period)} />
        </>
      )}
    </Answer>
  );
}

function Figures(props: ChartProps): ReactNode {
  const { new_connections: connections } = props.activity.total;
  return (
    <>
      <p className="muted">
        {countText(connections, 'new connection')} of users to health systems. Days are those of UTC, and today is not
        over.
      </p>
      <div className="charts">
        <Collections {...props} />
        <Resources {...props} />
        <Failures {...props} />
        <Webhooks {...props} />
      </div>
    </>
  );
}

/** What to do before anything can be counted: with the id of a user, a command that connects this user. */
function NothingYet({
  clientId,
  period,
  mayConnect,
  look,
}: {
  clientId: string;
  period: number;
  mayConnect: boolean;
  look: () => void;
}): ReactNode {
  const users = useAnswer<{ entry: UserEntry[] }>(
    [...keys.users(clientId), 'first', 1],
    asClient(clientId, 'base', `${usersPath}?limit=1`),
  );
  const user = users.data?.entry[0]?.service_user_id;
  const of = { clientId, api: 'base_url', method: 'POST' } as const;
  return (
    <Empty title={`Nothing has happened in the last ${period} days`}>
      <p>
        This page counts what happens once users connect health systems: the collections of their records, what they
        store, what fails and why, and the webhooks that tell your server.
      </p>
      {mayConnect ? (
        <Answer query={users}>
          {() => (
            <>
              <p>
                {user === undefined
                  ? 'Begin with a user. Set CLIENT_SECRET in your shell, and run:'
                  : `Connect a health system. This makes a link for the user ${user}, which you open in a browser. Set CLIENT_SECRET in your shell, and run:`}
              </p>
              <CodeBlock
                text={curlOf(
                  user === undefined
                    ? { ...of, path: usersPath, body: { app_user_id: 'first-user' } }
                    : { ...of, path: 'connect/v1/links', body: { service_user_id: user } },
                )}
                what="the command"
              />
              <button
                type="button"
                onClick={() => {
                  look();
                  void users.refetch();
                }}
              >
                Look again
              </button>
            </>
          )}
        </Answer>
      ) : (
        <p className="muted">Owners and developers connect users.</p>
      )}
    </Empty>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import type { DeliveryEntry } from '@tributary/contracts';
import { type ReactNode, useId, useState } from 'react';
import { asClient, keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { Skeleton } from '../components/answer';
import { Copyable } from '../components/copy-button';
import { AsCurl } from '../components/curl';
import { Failure } from '../components/notice';
import { ShowMore } from '../components/show-more';
import { Status } from '../components/status';
import { useToast } from '../components/toasts';
import { useParameters } from '../components/use-parameters';
import { countText, timeText } from '../text';
import { attemptText } from './attempt-text';

interface DeliveryList {
  entry: DeliveryEntry[];
  next_cursor?: string;
}

const states: Record<DeliveryEntry['state'], ReactNode> = {
  pending: <Status kind="waiting">Being sent</Status>,
  delivered: <Status kind="good">Delivered</Status>,
  failed: <Status kind="bad">Not accepted</Status>,
  missed: <Status kind="off">Missed</Status>,
};
const stateNames = {
  '': 'All',
  pending: 'Being sent',
  delivered: 'Delivered',
  failed: 'Not accepted',
  missed: 'Missed',
};

/** The log of the deliveries to an endpoint, newest first. */
export function Deliveries({
  clientId,
  endpointId,
  mayReplay,
}: {
  clientId: string;
  endpointId: string;
  mayReplay: boolean;
}): ReactNode {
  const id = useId();
  const [parameters, change] = useParameters();
  const state = parameters.get('state') ?? '';
  const path = `connect/v1/webhooks/${endpointId}/deliveries`;
  const query = { ...(state === '' ? {} : { state }), limit: '50' };
  const listPath = `${path}?${new URLSearchParams(query).toString()}`;
  const log = useInfiniteQuery({
    queryKey: [...keys.webhooks(clientId), endpointId, state],
    queryFn: ({ pageParam }) =>
      call<DeliveryList>(
        'GET',
        asClient(clientId, 'base', pageParam === '' ? listPath : `${listPath}&cursor=${pageParam}`),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const deliveries = log.data?.pages.flatMap(({ entry }) => entry);
  return (
    <>
      <h3>Deliveries of the last 15 days</h3>
      <div className="filter">
        <label htmlFor={id}>State</label>
        <select id={id} value={state} onChange={({ target }) => change({ state: target.value })}>
          {Object.entries(stateNames).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {log.error && <Failure error={log.error} retry={() => void log.refetch()} />}
      {!deliveries && !log.error && <Skeleton lines={4} />}
      {deliveries?.length === 0 && (
        <p className="muted">
          {state === ''
            ? 'No event was sent yet. Send a test event to see whether the endpoint answers.'
            : 'There is none in this state.'}
        </p>
      )}
      {deliveries && deliveries.length > 0 && (
        <ul className="deliveries">
          {deliveries.map((delivery) => (
            <Delivery
              key={delivery.webhook_id}
              delivery={delivery}
              clientId={clientId}
              path={`${path}/${delivery.webhook_id}/replay`}
              mayReplay={mayReplay}
            />
          ))}
        </ul>
      )}
      <ShowMore query={log}>
        {deliveries &&
          deliveries.length > 0 &&
          countText(deliveries.length, 'delivery', 'deliveries') + (log.hasNextPage ? ' so far' : '')}
      </ShowMore>
      <AsCurl clientId={clientId} api="base_url" path={listPath} />
    </>
  );
}

interface DeliveryProps {
  delivery: DeliveryEntry;
  clientId: string;
  /** Of the API, which sends it again. */
  path: string;
  mayReplay: boolean;
}

function Delivery({ delivery, clientId, path, mayReplay }: DeliveryProps): ReactNode {
  const tell = useToast();
  const [failure, setFailure] = useState<unknown>();
  const replay = async (): Promise<void> => {
    setFailure(undefined);
    try {
      await call('POST', asClient(clientId, 'base', path));
      await refresh(keys.webhooks(clientId));
      tell('The event will be sent again.');
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <li>
      <details>
        <summary>
          <span>
            <code>{delivery.event}</code>
            <span className="muted">{timeText(delivery.timestamp)}</span>
          </span>
          {states[delivery.state]}
        </summary>
        <dl className="facts">
          <dt>webhook-id</dt>
          <dd>
            <Copyable text={delivery.webhook_id} what="webhook-id" />
          </dd>
          {delivery.service_user_id !== undefined && (
            <>
              <dt>service_user_id</dt>
              <dd>{delivery.service_user_id}</dd>
            </>
          )}
          {delivery.next_attempt_at !== undefined && (
            <>
              <dt>Next attempt</dt>
              <dd>{timeText(delivery.next_attempt_at)}</dd>
            </>
          )}
        </dl>
        <h4>Attempts</h4>
        {delivery.attempts.length === 0 ? (
          <p className="muted">None yet.</p>
        ) : (
          <ol className="attempts">
            {delivery.attempts.map((attempt) => (
              <li key={attempt.at}>
                {timeText(attempt.at)}: {attemptText(attempt)}, after {attempt.duration_ms} ms
              </li>
            ))}
          </ol>
        )}
        {failure !== undefined && <Failure error={failure} />}
        {mayReplay && delivery.state !== 'pending' && (
          <button type="button" className="small" onClick={() => void replay()}>
            Send again
          </button>
        )}
      </details>
    </li>
  );
}

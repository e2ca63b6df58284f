import type { TestedWebhook, WebhookEndpointEntry } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { asClient, keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { Copyable } from '../components/copy-button';
import { CancelButton, Confirm, DialogBox, Panel } from '../components/dialogs';
import { Form } from '../components/form';
import { Failure, Notice } from '../components/notice';
import { Status } from '../components/status';
import { useToast } from '../components/toasts';
import { useAction } from '../components/use-action';
import { sentence, timeText } from '../text';
import { attemptText } from './attempt-text';
import { Deliveries } from './deliveries';
import { EndpointFields, endpointInput } from './endpoint-fields';
import { ReplayDialog } from './replay-dialog';
import { WebhookSecret } from './webhook-secret';

export function EndpointState({ endpoint }: { endpoint: WebhookEndpointEntry }): ReactNode {
  if (endpoint.status === 'disabled') return <Status kind="off">Disabled</Status>;
  return endpoint.consecutive_failures > 0 ? (
    <Status kind="warning">Failing</Status>
  ) : (
    <Status kind="good">Enabled</Status>
  );
}

export interface EndpointPanelProps {
  clientId: string;
  endpoint: WebhookEndpointEntry;
  mayChange: boolean;
  close: () => void;
}

type Opened = 'change' | 'replay' | 'delete' | 'rotate';

/** An endpoint: what it gets, how its deliveries went, and what can be done with it. */
export function EndpointPanel({ clientId, endpoint, mayChange, close }: EndpointPanelProps): ReactNode {
  const tell = useToast();
  const [opened, setOpened] = useState<Opened>();
  const { act, failure, isBusy } = useAction();
  const [tested, setTested] = useState<TestedWebhook>();
  const path = asClient(clientId, 'base', `connect/v1/webhooks/${endpoint.endpoint_id}`);
  const isEnabled = endpoint.status === 'enabled';
  const changed = (): Promise<void> => refresh(keys.webhooks(clientId));
  const test = async (): Promise<void> => {
    setTested(undefined);
    setTested(await call<TestedWebhook>('POST', `${path}/test`));
    await changed();
  };
  const switchOver = async (): Promise<void> => {
    setTested(undefined);
    await call('PATCH', path, { status: isEnabled ? 'disabled' : 'enabled' });
    await changed();
    tell(isEnabled ? 'The endpoint is disabled.' : 'The endpoint is enabled.');
  };
  const shut = (): void => setOpened(undefined);
  return (
    <Panel title={endpoint.url} close={close}>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <EndpointState endpoint={endpoint} />
          {endpoint.disabled_reason !== undefined && <p>{sentence(endpoint.disabled_reason)}</p>}
        </dd>
        <dt>Events</dt>
        <dd>{endpoint.events?.join(', ') ?? 'All'}</dd>
        <dt>Last accepted</dt>
        <dd>{endpoint.last_success_at === undefined ? 'Not yet' : timeText(endpoint.last_success_at)}</dd>
        {endpoint.last_failure && (
          <>
            <dt>Last failure</dt>
            <dd>
              {timeText(endpoint.last_failure.at)}: {attemptText(endpoint.last_failure)}
            </dd>
          </>
        )}
        <dt>endpoint_id</dt>
        <dd>
          <Copyable text={endpoint.endpoint_id} what="endpoint_id" />
        </dd>
      </dl>
      {failure !== undefined && <Failure error={failure} />}
      <div role="status">
        {tested && (
          <Notice kind={tested.delivered ? 'good' : 'warning'}>
            {tested.delivered ? 'The endpoint accepted the test event' : 'The endpoint did not accept the test event'}:{' '}
            {attemptText(tested)}, after {tested.duration_ms} ms.
          </Notice>
        )}
      </div>
      {mayChange && (
        <div className="button-row">
          <button type="button" className="small" aria-disabled={isBusy} onClick={() => act(test)}>
            Send a test event
          </button>
          <button type="button" className="small" onClick={() => setOpened('change')}>
            Change…
          </button>
          <button type="button" className="small" aria-disabled={isBusy} onClick={() => act(switchOver)}>
            {isEnabled ? 'Disable' : 'Enable'}
          </button>
          <button type="button" className="small" onClick={() => setOpened('replay')}>
            Replay…
          </button>
          <button type="button" className="small" onClick={() => setOpened('rotate')}>
            Rotate the secret…
          </button>
          <button type="button" className="small danger" onClick={() => setOpened('delete')}>
            Delete…
          </button>
        </div>
      )}
      <Deliveries clientId={clientId} endpointId={endpoint.endpoint_id} mayReplay={mayChange && isEnabled} />
      {opened === 'change' && (
        <DialogBox title="Change the endpoint" close={shut}>
          <Form
            submit={async (data) => {
              const { url, events } = endpointInput(data);
              await call('PATCH', path, { url, events: events ?? null });
              await changed();
              tell('The endpoint is changed.');
              shut();
            }}
            action="Save"
            fieldOf={{ webhook_url_taken: 'url' }}
            more={<CancelButton close={shut} />}
          >
            <EndpointFields endpoint={endpoint} />
          </Form>
        </DialogBox>
      )}
      {opened === 'replay' && <ReplayDialog clientId={clientId} path={path} close={shut} />}
      {opened === 'rotate' && <RotateDialog path={path} close={shut} />}
      {opened === 'delete' && (
        <Confirm
          title="Delete the endpoint?"
          action="Delete endpoint"
          name={new URL(endpoint.url).host}
          close={shut}
          confirm={async () => {
            await call('DELETE', path);
            close();
            await changed();
            tell('The endpoint is deleted.');
          }}
        >
          <p>It gets no more events, and the log of its deliveries is deleted. This cannot be undone.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function RotateDialog({ path, close }: { path: string; close: () => void }): ReactNode {
  const [rotated, setRotated] = useState<{ secret: string; previous_secret_until: string }>();
  return (
    <DialogBox
      title={rotated ? 'The new signing secret' : 'Rotate the signing secret'}
      close={close}
      isOnce={rotated !== undefined}
    >
      {rotated ? (
        <WebhookSecret secret={rotated.secret} kept={close}>
          <p>Until {timeText(rotated.previous_secret_until)} events are also signed with the previous secret.</p>
        </WebhookSecret>
      ) : (
        <>
          <p>The endpoint gets a new secret. For a day, events carry the signatures of both.</p>
          <Form
            submit={async () => setRotated(await call('POST', `${path}/rotate-secret`))}
            action="Rotate"
            more={<CancelButton close={close} />}
          />
        </>
      )}
    </DialogBox>
  );
}

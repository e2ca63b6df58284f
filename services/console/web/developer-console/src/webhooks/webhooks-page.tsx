import type { WebhookEndpointEntry } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { asClient, keys, refresh, useAnswer } from '../api/queries';
import { call } from '../api/request';
import { OfClient, type ClientPageProps } from '../clients/of-client';
import { Answer } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { AsCurl, curlOf } from '../components/curl';
import { DataTable } from '../components/data-table';
import { CancelButton, DialogBox } from '../components/dialogs';
import { Empty } from '../components/empty';
import { Form } from '../components/form';
import { useToast } from '../components/toasts';
import { mayChangeClients } from '../organisations/roles';
import { timeText } from '../text';
import { EndpointFields, endpointInput } from './endpoint-fields';
import { EndpointPanel, EndpointState } from './endpoint-panel';
import { WebhookSecret } from './webhook-secret';

const path = 'connect/v1/webhooks';

/** The endpoints to which events of a client are sent. */
export function WebhooksPage(): ReactNode {
  return (
    <OfClient
      title="Webhooks"
      actions={({ organisation }) =>
        mayChangeClients(organisation.role) && (
          <Link className="button primary" to="?new">
            Add an endpoint
          </Link>
        )
      }
    >
      {(props) => <Webhooks {...props} />}
    </OfClient>
  );
}

function Webhooks({ client, organisation }: ClientPageProps): ReactNode {
  const [parameters, setParameters] = useSearchParams();
  const endpoints = useAnswer<{ entry: WebhookEndpointEntry[] }>(
    keys.webhooks(client.client_id),
    asClient(client.client_id, 'base', path),
  );
  const mayChange = mayChangeClients(organisation.role);
  const opened = endpoints.data?.entry.find((endpoint) => endpoint.endpoint_id === parameters.get('endpoint'));
  return (
    <>
      <Answer query={endpoints}>
        {({ entry }) =>
          entry.length === 0 ? (
            <Empty title="There is no endpoint yet">
              <p>
                An endpoint is an address of your server that hears when a record was collected, a user must sign in
                again, or an export is ready. Events are signed, and sent again until your server accepts them.
              </p>
              {mayChange && (
                <>
                  <p>Your server can add it as well. Set CLIENT_SECRET in your shell, and put in your address:</p>
                  <CodeBlock
                    text={curlOf({
                      clientId: client.client_id,
                      api: 'base_url',
                      path,
                      method: 'POST',
                      body: { url: 'https://app.example.org/webhooks' },
                    })}
                    what="the command"
                  />
                </>
              )}
              {!mayChange && <p className="muted">Owners and developers add endpoints.</p>}
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Endpoints"
                rows={entry}
                keyOf={(endpoint) => endpoint.endpoint_id}
                open={(endpoint) => setParameters({ endpoint: endpoint.endpoint_id })}
                columns={[
                  { header: 'Address', cell: ({ url }) => url },
                  { header: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
                  {
                    header: 'Events',
                    cell: ({ events }) => (events ? `${events.length} selected` : 'All'),
                    isWideOnly: true,
                  },
                  {
                    header: 'Last accepted',
                    cell: ({ last_success_at: at }) => (at === undefined ? 'Not yet' : timeText(at)),
                    isWideOnly: true,
                  },
                ]}
              />
              <AsCurl clientId={client.client_id} api="base_url" path={path} />
            </>
          )
        }
      </Answer>
      {mayChange && parameters.has('new') && (
        <NewEndpoint clientId={client.client_id} close={() => setParameters({})} />
      )}
      {opened && (
        <EndpointPanel
          key={opened.endpoint_id}
          clientId={client.client_id}
          endpoint={opened}
          mayChange={mayChange}
          close={() => setParameters({})}
        />
      )}
    </>
  );
}

function NewEndpoint({ clientId, close }: { clientId: string; close: () => void }): ReactNode {
  const tell = useToast();
  const [secret, setSecret] = useState<string>();
  const submit = async (data: FormData): Promise<void> => {
    const created = await call<{ secret: string }>('POST', asClient(clientId, 'base', path), endpointInput(data));
    setSecret(created.secret);
    await refresh(keys.webhooks(clientId));
    tell('The endpoint is added.');
  };
  return (
    <DialogBox
      title={secret === undefined ? 'Add an endpoint' : 'The signing secret'}
      close={close}
      isOnce={secret !== undefined}
    >
      {secret === undefined ? (
        <Form
          submit={submit}
          action="Add endpoint"
          fieldOf={{ webhook_url_taken: 'url' }}
          more={<CancelButton close={close} />}
        >
          <EndpointFields />
        </Form>
      ) : (
        <WebhookSecret secret={secret} kept={close} />
      )}
    </DialogBox>
  );
}

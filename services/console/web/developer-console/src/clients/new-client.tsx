import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'react-router';
import type { Account, ClientWithSecret } from '../api/answers';
import { keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { CodeBlock } from '../components/code-block';
import { Field, ChoiceField, LinesField } from '../components/field';
import { Form, textOf } from '../components/form';
import { curlOf } from '../components/curl';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { Mode } from '../components/status';
import { clientPath } from '../layout/place';
import { OfMembership } from '../organisations/membership';
import { mayChangeClients } from '../organisations/roles';
import { requiredLines } from './client-input';
import { Credentials } from './credentials';

/** Creates a client application, and shows its credentials. */
export function NewClient(): ReactNode {
  // Another one after the first has the same address.
  const { key } = useLocation();
  return <OfMembership>{(organisation) => <NewClientOf key={key} organisation={organisation} />}</OfMembership>;
}

function NewClientOf({ organisation }: { organisation: Account['organisations'][number] }): ReactNode {
  const [created, setCreated] = useState<ClientWithSecret>();
  const { id, role, may_have_live_clients: mayBeLive } = organisation;
  if (created) return <Created client={created} organisationId={id} />;
  const submit = async (data: FormData): Promise<void> => {
    const body = {
      name: textOf(data, 'name'),
      mode: textOf(data, 'mode'),
      redirect_uris: requiredLines(data, 'redirect_uris', 'Enter at least one redirect URI.'),
    };
    setCreated(await call<ClientWithSecret>('POST', `organisations/${id}/clients`, body));
    await refresh(keys.clients(id));
  };
  return (
    <Page title="New application">
      {mayChangeClients(role) ? (
        <div className="column">
          <Form submit={submit} action="Create application">
            <Field
              name="name"
              label="Name"
              maxLength={200}
              autoComplete="off"
              required
              hint="Patients read it on the connect pages."
            />
            <ChoiceField
              name="mode"
              label="Mode"
              defaultValue="test"
              options={[
                {
                  value: 'test',
                  text: 'Test',
                  hint: 'Connects to sandbox health systems, whose patients are invented.',
                },
                {
                  value: 'live',
                  text: 'Live',
                  hint: mayBeLive
                    ? 'Connects to the health systems of people, and never to sandboxes.'
                    : 'Not available yet: the operator of this service has to check your organisation first.',
                  isDisabled: !mayBeLive,
                },
              ]}
            />
            <LinesField
              name="redirect_uris"
              label="Redirect URIs"
              defaultValue=""
              hint="Where patients come back to after connecting, one a line: https, http on localhost, or the scheme of an app."
            />
          </Form>
        </div>
      ) : (
        <Notice kind="warning">Your role does not allow you to create applications. Ask an owner.</Notice>
      )}
    </Page>
  );
}

function Created({ client, organisationId }: { client: ClientWithSecret; organisationId: string }): ReactNode {
  const firstUser = curlOf({
    clientId: client.client_id,
    api: 'base_url',
    path: 'user-management/v1/user',
    method: 'POST',
    body: { app_user_id: 'first-user' },
  });
  return (
    <Page title={`${client.name} is created`} aside={<Mode mode={client.mode} />}>
      <div className="column">
        <Credentials client={client} />
        <h2 className="next">Next: create a user</h2>
        <p>Set the secret in your shell, and then copy this command as it is:</p>
        <CodeBlock text={firstUser} what="the command" />
        <div className="actions">
          <Link className="button primary" to={clientPath(organisationId, client.client_id, 'users')}>
            I have kept the secret
          </Link>
        </div>
      </div>
    </Page>
  );
}

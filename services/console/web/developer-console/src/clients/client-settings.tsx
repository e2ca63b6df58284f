import { Fragment, type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Client } from '../api/answers';
import { keys, refresh, settingsPath } from '../api/queries';
import { call } from '../api/request';
import { AsCurl } from '../components/curl';
import { Confirm } from '../components/dialogs';
import { ChoiceField, Field, LinesField, SelectField } from '../components/field';
import { Form, InvalidInput, textOf } from '../components/form';
import { useToast } from '../components/toasts';
import { organisationPath } from '../layout/place';
import { mayChangeClients, roleNames } from '../organisations/roles';
import { linesOf, requiredLines } from './client-input';
import { LogoForm } from './logo-form';
import { OfClient, type ClientPageProps, isDisabled } from './of-client';
import { SecretSection } from './secret-section';

/** What patients see of a client, what it asks for, and its credentials. */
export function ClientSettings(): ReactNode {
  return (
    <OfClient title="Settings" isForDisabled>
      {({ client, organisation }) =>
        mayChangeClients(organisation.role) && !isDisabled(client) ? (
          <ChangeableSettings client={client} organisation={organisation} />
        ) : (
          <ReadOnlySettings client={client} organisation={organisation} />
        )
      }
    </OfClient>
  );
}

function ChangeableSettings({ client, organisation }: ClientPageProps): ReactNode {
  const tell = useToast();
  const change = async (body: object): Promise<void> => {
    await call('PATCH', settingsPath(client), body);
    await refresh(keys.clients(organisation.id));
    tell('The settings are saved.');
  };
  return (
    <>
      <SecretSection client={client} organisationId={organisation.id} />
      <section className="card column">
        <h2>On the connect pages</h2>
        <Form
          submit={(data) =>
            change({
              name: textOf(data, 'name'),
              redirect_uris: requiredLines(data, 'redirect_uris', 'Enter at least one redirect URI.'),
              frame_origins: orNull(linesOf(data, 'frame_origins')),
            })
          }
          action="Save"
          kind="plain"
        >
          <Field
            name="name"
            label="Name"
            defaultValue={client.name}
            maxLength={200}
            required
            hint="Patients read it."
          />
          <LinesField
            name="redirect_uris"
            label="Redirect URIs"
            defaultValue={client.redirect_uris.join('\n')}
            hint="Where patients come back to after connecting, one a line."
          />
          <LinesField
            name="frame_origins"
            label="Frame origins"
            rows={2}
            defaultValue={(client.frame_origins ?? []).join('\n')}
            hint="The origins whose pages may show the connect pages in a frame, such as https://app.example.org, one a line. Empty: none."
          />
        </Form>
        <h3 className="next">Logo</h3>
        <LogoForm client={client} change={change} />
      </section>
      <section className="card column">
        <h2>Records</h2>
        <RecordsForm client={client} change={change} />
      </section>
      <section className="card column">
        <h2>Public keys</h2>
        <KeysForm client={client} change={change} />
      </section>
      <AsCurl clientId={client.client_id} api="auth_url" path="client-management/v1/client" />
      {organisation.role === 'owner' ? (
        <Deletion client={client} organisation={organisation} />
      ) : (
        <p className="muted">Owners can delete the application.</p>
      )}
    </>
  );
}

interface FormOfSettings {
  client: Client;
  change: (body: object) => Promise<void>;
}

const orNull = (entries: string[]): string[] | null => (entries.length > 0 ? entries : null);

function RecordsForm({ client, change }: FormOfSettings): ReactNode {
  const submit = (data: FormData): Promise<void> => {
    const days = textOf(data, 'consent_days');
    if (!/^\d*$/.test(days)) throw new InvalidInput({ consent_days: 'Enter a number of days, or nothing.' });
    return change({
      requested_types: orNull(linesOf(data, 'requested_types')),
      consent_days: days === '' ? null : Number(days),
      people: textOf(data, 'people'),
    });
  };
  return (
    <Form submit={submit} action="Save" kind="plain">
      <LinesField
        name="requested_types"
        label="Resource types"
        defaultValue={(client.requested_types ?? []).join('\n')}
        hint="What patients are asked to share, such as Observation, one a line. Empty: all types."
      />
      <Field
        name="consent_days"
        label="Consent, in days"
        inputMode="numeric"
        defaultValue={client.consent_days ?? ''}
        hint="How long a connection lasts. 0: one collection. Empty: until the patient ends it."
      />
      <ChoiceField
        name="people"
        label="People of a record"
        defaultValue={client.people}
        options={[
          { value: 'one', text: 'One person', hint: 'A patient who is somebody else needs a confirmation.' },
          {
            value: 'several',
            text: 'Several people',
            hint: 'For parents and carers who connect the records of others.',
          },
        ]}
      />
    </Form>
  );
}

function KeysForm({ client, change }: FormOfSettings): ReactNode {
  const kindNow = client.jwks ? 'jwks' : client.jwks_url === undefined ? 'none' : 'jwks_url';
  const [kind, setKind] = useState<string>(kindNow);
  const submit = (data: FormData): Promise<void> => {
    if (kind === 'jwks') return change({ jwks: keySetOf(textOf(data, 'jwks')) });
    if (kind === 'jwks_url') return change({ jwks_url: textOf(data, 'jwks_url') });
    return change(client.jwks ? { jwks: null } : { jwks_url: null });
  };
  return (
    <>
      <p>
        For private_key_jwt in place of the secret, and for tokens of the application itself (SMART Backend Services).
      </p>
      <div onChange={(event) => event.target instanceof HTMLSelectElement && setKind(event.target.value)}>
        <Form submit={submit} action="Save" kind="plain">
          <SelectField
            name="kind"
            label="Keys"
            defaultValue={kindNow}
            options={{ none: 'None', jwks_url: 'At an address', jwks: 'As a JSON Web Key Set' }}
          />
          {kind === 'jwks_url' && (
            <Field
              name="jwks_url"
              label="Address of the key set"
              type="url"
              defaultValue={client.jwks_url ?? ''}
              required
            />
          )}
          {kind === 'jwks' && (
            <LinesField
              name="jwks"
              label="JSON Web Key Set"
              rows={8}
              defaultValue={client.jwks ? JSON.stringify(client.jwks, null, 2) : ''}
              hint="Public keys for RS384 or ES384."
            />
          )}
        </Form>
      </div>
    </>
  );
}

/** @throws InvalidInput */
function keySetOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InvalidInput({ jwks: 'This is no JSON. Enter an object with the member "keys".' });
  }
}

function Deletion({ client, organisation }: ClientPageProps): ReactNode {
  const navigate = useNavigate();
  const tell = useToast();
  const [isAsking, setAsking] = useState(false);
  return (
    <section className="card column">
      <h2>Delete the application</h2>
      <p>
        Its credentials and the tokens of its users stop working at once. Users and records are deleted after seven
        days.
      </p>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        Delete…
      </button>
      {isAsking && (
        <Confirm
          title={`Delete ${client.name}?`}
          action="Delete application"
          name={client.name}
          close={() => setAsking(false)}
          confirm={async () => {
            await call('DELETE', settingsPath(client), { confirm: client.name });
            await refresh(keys.clients(organisation.id));
            tell(`${client.name} is being deleted.`);
            await navigate(organisationPath(organisation.id, 'clients'));
          }}
        >
          <p>
            All of its users and their records are deleted in seven days. Until then only the operator of this service
            can bring it back; afterwards nobody can.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function ReadOnlySettings({ client, organisation }: ClientPageProps): ReactNode {
  const entries: [string, string][] = [
    ['client_id', client.client_id],
    ['Redirect URIs', client.redirect_uris.join('\n')],
    ['Frame origins', client.frame_origins?.join('\n') ?? 'None'],
    ['Resource types', client.requested_types?.join(', ') ?? 'All'],
    ['Consent', client.consent_days === undefined ? 'Until the patient ends it' : `${client.consent_days} days`],
    ['People of a record', client.people === 'one' ? 'One person' : 'Several people'],
    ['Public keys', client.jwks ? 'A JSON Web Key Set' : (client.jwks_url ?? 'None')],
  ];
  return (
    <>
      {!isDisabled(client) && (
        <p className="muted">
          Your role is {roleNames[organisation.role].toLowerCase()}. Owners and developers change these.
        </p>
      )}
      <dl className="card facts">
        {entries.map(([term, text]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd className="lines">{text}</dd>
          </Fragment>
        ))}
      </dl>
      <AsCurl clientId={client.client_id} api="auth_url" path="client-management/v1/client" />
    </>
  );
}

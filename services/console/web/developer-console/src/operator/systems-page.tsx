import type {
  ChangedHosts,
  DirectorySource,
  HealthSystemOutcomes,
  ListedRegistration,
  OutcomeList,
  PausedHost,
} from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { keys, refresh, useAnswer } from '../api/queries';
import { call } from '../api/request';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { CancelButton, DialogBox, Panel } from '../components/dialogs';
import { Field } from '../components/field';
import { Form, textOf } from '../components/form';
import { Page } from '../components/page';
import { Mode, Status } from '../components/status';
import { useToast } from '../components/toasts';
import { useParameters } from '../components/use-parameters';
import { useConfirmed } from '../layout/confirmed';
import { countText, numberText, sentence, timeText } from '../text';
import { sumOf } from '../overview/figures';
import { ChangeButton } from './change-button';
import { ConnectionTest } from './connection-test';
import { Filter } from './filter';
import { OfOperator } from './of-operator';
import { ByCommand } from './search-list';

/** Registrations, the directory, outcomes and paused hosts. Each part fails for itself. */
export function OperatorSystems(): ReactNode {
  return (
    <OfOperator>
      <Page title="Health systems">
        <section>
          <h2>Connection test</h2>
          <p className="muted">
            It goes through the steps of connecting, as far as that is possible without a user. Nothing is stored.
          </p>
          <ConnectionTest />
        </section>
        <Registrations />
        <PausedHosts />
        <Outcomes />
        <Sources />
      </Page>
    </OfOperator>
  );
}

function Registrations(): ReactNode {
  const found = useAnswer<{ entry: ListedRegistration[] }>(keys.operator('registrations'), 'operator/registrations');
  return (
    <section>
      <h2>Registrations</h2>
      <Answer query={found}>
        {({ entry }) =>
          entry.length === 0 ? (
            <>
              <p className="muted">Our client is registered at no health system yet: nobody can connect.</p>
              <ByCommand command="registration set --help" what="how to register it" />
            </>
          ) : (
            <>
              <DataTable
                caption="Registrations"
                rows={entry}
                keyOf={({ matches, pattern }) => `${matches} ${pattern}`}
                columns={[
                  {
                    header: 'FHIR base or host',
                    cell: ({ pattern, client_id: id, auth_method: method, scopes }) => (
                      <>
                        <code>{pattern}</code>
                        <span className="second-line">client_id {id}</span>
                        <span className="second-line narrow-only">{method}</span>
                        <span className="second-line">{scopes ?? 'The default scopes'}</span>
                      </>
                    ),
                  },
                  {
                    header: 'Authentication',
                    cell: ({ auth_method: method }) => <code>{method}</code>,
                    isWideOnly: true,
                  },
                ]}
              />
              <p className="muted">{countText(entry.length, 'registration')}</p>
              <ByCommand command="registration list" what="list the registrations" />
            </>
          )
        }
      </Answer>
    </section>
  );
}

function PausedHosts(): ReactNode {
  const found = useAnswer<{ entry: PausedHost[] }>(keys.operator('paused-hosts'), 'operator/paused-hosts');
  const [isPausing, setPausing] = useState(false);
  return (
    <section>
      <h2>Paused hosts</h2>
      <Answer query={found}>
        {({ entry }) =>
          entry.length === 0 ? (
            <p className="muted">No host is paused: collections run everywhere.</p>
          ) : (
            <ul className="rows">
              {entry.map(({ host, reason, paused_at: at, waiting }) => (
                <li key={host}>
                  <div>
                    <strong>{host}</strong>
                    <Status kind="warning">Paused</Status>
                    <span className="muted">
                      {sentence(reason)} Since {timeText(at)}, {countText(waiting, 'collection')} waiting.
                    </span>
                  </div>
                  <div className="button-row">
                    <ChangeButton
                      action="Resume"
                      title={`Resume ${host}?`}
                      method="POST"
                      path="paused-hosts/resume"
                      body={{ host }}
                      done={`${host} is resumed.`}
                    >
                      <p>Its collections continue at once.</p>
                    </ChangeButton>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      <button type="button" onClick={() => setPausing(true)}>
        Pause a host…
      </button>
      <ByCommand command="health-system paused" what="list the paused hosts" />
      {isPausing && <PauseDialog close={() => setPausing(false)} />}
    </section>
  );
}

function PauseDialog({ close }: { close: () => void }): ReactNode {
  const confirmed = useConfirmed();
  const tell = useToast();
  return (
    <DialogBox title="Pause a host" close={close}>
      <p>
        Nothing is sent to it until it is resumed: no collection and no token request. Connections wait with the status
        that they have, and users who connect are told that the health system is not available.
      </p>
      <Form
        action="Pause"
        kind="primary danger"
        submit={async (data) => {
          const body = { host: textOf(data, 'host'), reason: textOf(data, 'reason') };
          const { hosts } = await confirmed(() => call<ChangedHosts>('POST', 'operator/paused-hosts', body));
          await refresh(keys.operator());
          tell(`Paused: ${hosts.join(', ')}.`);
          close();
        }}
        more={<CancelButton close={close} />}
      >
        <Field
          name="host"
          label="Host, or id of the health system"
          hint="Such as fhir.example.org or fhir.example.org:8443."
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Field name="reason" label="Reason" hint="For other operators." maxLength={200} autoComplete="off" required />
      </Form>
    </DialogBox>
  );
}

const periods = { '1': 'Today', '7': '7 days', '30': '30 days', '90': '90 days', '400': '400 days' };

function Outcomes(): ReactNode {
  const [parameters, change] = useParameters();
  const days = parameters.get('days') ?? '7';
  const found = useAnswer<OutcomeList>(
    keys.operator('outcomes', days),
    `operator/outcomes?days=${encodeURIComponent(days)}`,
  );
  const opened = found.data?.entry.find(({ health_system_id: id }) => id === parameters.get('system'));
  return (
    <section>
      <h2>Outcomes</h2>
      <Filter label="Period" options={periods} value={days} choose={(value) => change({ days: value })} />
      <Answer query={found}>
        {({ entry, other_health_systems: others = 0 }) =>
          entry.length === 0 ? (
            <p className="muted">Nobody has connected or collected in this time.</p>
          ) : (
            <>
              <DataTable
                caption="Outcomes by health system"
                rows={entry}
                keyOf={({ health_system_id: id }) => id}
                open={({ health_system_id: id }) => change({ system: id })}
                columns={[
                  { header: 'Health system', cell: ({ health_system_name: name }) => name },
                  { header: 'Connected', cell: ({ connects }) => numberText(connects.connected), isNumber: true },
                  { header: 'Failed', cell: ({ connects }) => numberText(sumOf(connects.failed)), isNumber: true },
                  {
                    header: 'Failed refreshes',
                    cell: ({ refresh_failures: failures }) => numberText(sumOf(failures)),
                    isNumber: true,
                    isWideOnly: true,
                  },
                  {
                    header: 'Collections',
                    cell: ({ collections }) => numberText(sumOf(collections)),
                    isNumber: true,
                    isWideOnly: true,
                  },
                ]}
              />
              {others > 0 && (
                <p className="muted">
                  {countText(others, 'more health system')} {others === 1 ? 'is' : 'are'} not listed: those with the
                  fewest failed connects.
                </p>
              )}
            </>
          )
        }
      </Answer>
      <ByCommand command={`connection outcomes --days ${days}`} what="list the outcomes of this period" />
      {opened && <OutcomePanel outcomes={opened} close={() => change({ system: undefined })} />}
    </section>
  );
}

function OutcomePanel({ outcomes, close }: { outcomes: HealthSystemOutcomes; close: () => void }): ReactNode {
  const { connects } = outcomes;
  return (
    <Panel title={outcomes.health_system_name} close={close}>
      <dl className="facts">
        <dt>id</dt>
        <dd>{outcomes.health_system_id}</dd>
        <dt>Connects</dt>
        <dd>
          {numberText(connects.started)} started, {numberText(connects.connected)} connected
        </dd>
      </dl>
      <Counts title="Failed connects" counts={connects.failed} />
      <Counts title="Failed refreshes" counts={outcomes.refresh_failures} />
      <Counts title="Collections" counts={outcomes.collections} />
      <Counts title="Refused types" counts={outcomes.types_refused} />
      <h3>Connection test</h3>
      <ConnectionTest healthSystem={outcomes.health_system_id} />
    </Panel>
  );
}

function Counts({ title, counts }: { title: string; counts: Readonly<Record<string, number>> }): ReactNode {
  const sorted = Object.entries(counts).toSorted(([, one], [, other]) => other - one);
  return (
    <>
      <h3>{title}</h3>
      {sorted.length === 0 ? (
        <p className="muted">None</p>
      ) : (
        <ul className="counts">
          {sorted.map(([reason, count]) => (
            <li key={reason}>
              <code>{reason}</code> {numberText(count)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Sources(): ReactNode {
  const found = useAnswer<{ entry: DirectorySource[] }>(keys.operator('sources'), 'operator/sources');
  return (
    <section>
      <h2>Directory</h2>
      <Answer query={found}>
        {({ entry }) =>
          entry.length === 0 ? (
            <>
              <p className="muted">No health system was loaded yet: users find none.</p>
              <ByCommand command="directory load --help" what="how to load some" />
            </>
          ) : (
            <>
              <DataTable
                caption="Sources of the directory"
                rows={entry}
                keyOf={({ name }) => name}
                columns={[
                  {
                    header: 'Source',
                    cell: ({ name, origin, mode, total }) => (
                      <>
                        {name}
                        <span className="second-line">{origin}</span>
                        <span className="second-line narrow-only">
                          <Mode mode={mode} /> {countText(total, 'health system')}
                        </span>
                      </>
                    ),
                  },
                  { header: 'Mode', cell: ({ mode }) => <Mode mode={mode} />, isWideOnly: true },
                  {
                    header: 'Health systems',
                    cell: ({ total }) => numberText(total),
                    isNumber: true,
                    isWideOnly: true,
                  },
                  { header: 'Loaded', cell: ({ loaded_at: at }) => timeText(at) },
                ]}
              />
              <ByCommand command="directory sources" what="list the sources" />
            </>
          )
        }
      </Answer>
    </section>
  );
}

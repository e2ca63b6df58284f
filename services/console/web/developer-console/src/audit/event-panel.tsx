import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Client } from '../api/answers';
import { CodeBlock } from '../components/code-block';
import { Copyable } from '../components/copy-button';
import { Panel } from '../components/dialogs';
import { Time } from '../components/time';
import { clientPath } from '../layout/place';
import {
  type AuditEvent,
  type Names,
  actionWords,
  agentText,
  dataOf,
  dataText,
  isSearch,
  kindOf,
  kindText,
  requestIdOf,
  subjectOf,
  systems,
} from './event-words';
import { OutcomeOf } from './outcome';

interface EventPanelProps {
  event: AuditEvent;
  names: Names;
  client: Client;
  organisationId: string;
  close: () => void;
}

/** Everything that an event says. */
export function EventPanel({ event, names, client, organisationId, close }: EventPanelProps): ReactNode {
  const subject = subjectOf(event);
  const requestId = requestIdOf(event);
  const data = dataOf(event);
  const from = event.agent.filter(({ network }) => network?.type === '2');
  const program = event.agent.find(({ who }) => who.identifier?.system === systems.client)?.who.display;
  return (
    <Panel title={kindText(event)} close={close}>
      <dl className="facts">
        <dt>Kind</dt>
        <dd>
          <code>{kindOf(event)}</code>
        </dd>
        <dt>Action</dt>
        <dd>{actionWords[event.action]}</dd>
        <dt>Outcome</dt>
        <dd>
          <OutcomeOf outcome={event.outcome} />
          {event.outcomeDesc !== undefined && <span className="second-line">{event.outcomeDesc}</span>}
        </dd>
        <dt>Recorded</dt>
        <dd>
          <Time iso={event.recorded} isExact />
        </dd>
        <dt>Who</dt>
        <dd>
          <ul className="plain">
            {event.agent.map((agent, index) => (
              <li key={index}>
                {agentText(agent, names, client.name)}
                {agent.requestor && ', who asked for it'}
                <span className="second-line">
                  {[agent.type?.coding?.[0]?.display, agent.who.identifier?.value].filter(Boolean).join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </dd>
        <dt>On whom</dt>
        <dd>
          {subject === undefined ? (
            'Nobody in particular'
          ) : (
            <Link to={`${clientPath(organisationId, client.client_id, 'users')}?user=${subject}`}>User {subject}</Link>
          )}
        </dd>
        <dt>What</dt>
        <dd>
          {data.length === 0 ? (
            'No resource is named'
          ) : (
            <ul className="plain">
              {data.map((entity, index) => (
                <li key={index}>{dataText(entity, isSearch(event))}</li>
              ))}
            </ul>
          )}
        </dd>
        <dt>From where</dt>
        <dd>
          {from.length === 0 ? 'Inside of this service' : from.map(({ network }) => network?.address).join(', ')}
          {program !== undefined && <span className="second-line">{program}</span>}
        </dd>
        {requestId !== undefined && (
          <>
            <dt>Request id</dt>
            <dd>
              <Copyable text={requestId} what="request id" />
            </dd>
          </>
        )}
        <dt>Event id</dt>
        <dd>
          <Copyable text={event.id} what="event id" />
        </dd>
      </dl>
      <details className="curl">
        <summary>As JSON (FHIR AuditEvent)</summary>
        <CodeBlock text={JSON.stringify(event, undefined, 2)} what="the event" />
      </details>
    </Panel>
  );
}

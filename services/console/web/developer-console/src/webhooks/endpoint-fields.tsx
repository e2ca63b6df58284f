import type { WebhookEndpointEntry } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { Field } from '../components/field';
import { InvalidInput, textOf, useFieldError } from '../components/form';

type EventType = NonNullable<WebhookEndpointEntry['events']>[number];

/** When each event is sent. */
const eventMeanings: Record<EventType, string> = {
  'connection.active': 'A connection was collected for the first time.',
  'connection.needs_reauthorization': 'The user must sign in at the health system again.',
  'connection.failed': 'A connection cannot be collected any more.',
  'connection.revoked': 'A connection was ended.',
  'collection.completed': 'A collection has ended.',
  'user.deleted': 'A user was deleted.',
  'export.completed': 'An export is ready.',
};

/** The address of an endpoint, and the events that it gets. */
export function EndpointFields({ endpoint }: { endpoint?: WebhookEndpointEntry }): ReactNode {
  const [isAll, setAll] = useState(endpoint?.events === undefined);
  const error = useFieldError('events');
  return (
    <>
      <Field
        name="url"
        label="Address"
        type="url"
        defaultValue={endpoint?.url}
        maxLength={2048}
        autoComplete="off"
        autoFocus
        required
        placeholder="https://"
        hint="An https address that can be reached from the internet."
      />
      <fieldset className="field">
        <legend>Events</legend>
        <label className="check">
          <input type="checkbox" name="all" checked={isAll} onChange={(event) => setAll(event.target.checked)} />
          All, also those that are added later
        </label>
        {!isAll &&
          Object.entries(eventMeanings).map(([type, meaning]) => (
            <label key={type} className="check">
              <input
                type="checkbox"
                name="events"
                value={type}
                defaultChecked={endpoint?.events?.includes(type as EventType)}
                aria-invalid={error !== undefined}
              />
              <span>
                <code>{type}</code>
                <span className="muted">{meaning}</span>
              </span>
            </label>
          ))}
        {error !== undefined && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
      </fieldset>
    </>
  );
}

/** @throws InvalidInput */
export function endpointInput(data: FormData): { url: string; events?: string[] } {
  const url = textOf(data, 'url');
  if (data.has('all')) return { url };
  const events = data.getAll('events').map(String);
  if (events.length === 0) throw new InvalidInput({ events: 'Select at least one event.' });
  return { url, events };
}

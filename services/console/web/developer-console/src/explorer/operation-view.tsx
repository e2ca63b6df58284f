import type { ConnectionEntry, WebhookEndpointEntry } from '@tributary/contracts';
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { asClient, keys, refresh, useAnswer } from '../api/queries';
import type { Client } from '../api/answers';
import { exchange } from '../api/request';
import type { ClientPageProps } from '../clients/of-client';
import { CodeBlock } from '../components/code-block';
import { Confirm, DialogBox } from '../components/dialogs';
import { Icon } from '../components/icons';
import { Failure, Notice } from '../components/notice';
import { mayChangeClients } from '../organisations/roles';
import { useUser } from '../users/user-panel';
import { AnswerView, type Received, receive } from './answer-view';
import {
  type Own,
  type Values,
  curlOfOperation,
  firstValues,
  isAskedAbout,
  isShownOnce,
  problemOf,
  requestOf,
  tokenCommands,
  wayOf,
} from './call';
import type { Field, Operation } from './operations';
import { UserPicker, useUsers } from './user-picker';

interface OperationViewProps extends ClientPageProps {
  operation: Operation;
  /** The service_user_id that was chosen. */
  user: string | undefined;
  chooseUser: (serviceUserId: string) => void;
}

/** An operation: what it does, its inputs, its command, and its answer. */
export function OperationView({ operation, client, organisation, user, chooseUser }: OperationViewProps): ReactNode {
  const id = client.client_id;
  const users = useUsers(id);
  const heading = useRef<HTMLHeadingElement>(null);
  const { key: visit } = useLocation();
  // Who has chosen it in the list goes on here; a page that is loaded begins at its top.
  const isChosen = useRef(visit !== 'default');
  useEffect(() => {
    if (isChosen.current) heading.current?.focus();
  }, []);
  const names = new Set([...operation.fields.map(({ name }) => name), ...Object.keys(operation.body?.example ?? {})]);
  // A list of users can be read without one.
  const namesUser = names.has('service_user_id') && operation.key !== 'users.listUsers';
  // It stays when a request has deleted it, and so does the answer that says so.
  const [first, setFirst] = useState<string>();
  if (first === undefined && users?.[0]) setFirst(String(users[0].service_user_id));
  const serviceUserId = user ?? first;
  const hasUser = operation.credentials === 'user' || namesUser;
  const chosen = useUser(id, hasUser ? serviceUserId : undefined).data?.entry[0];
  const connections = useAnswer<{ entry: ConnectionEntry[] }>(
    [...keys.users(id), 'connections', serviceUserId],
    asClient(id, 'base', `connect/v1/connections?service_user_id=${serviceUserId}`),
    names.has('connection_id') && serviceUserId !== undefined && mayChangeClients(organisation.role),
  );
  const endpoints = useAnswer<{ entry: WebhookEndpointEntry[] }>(
    keys.webhooks(id),
    asClient(id, 'base', 'connect/v1/webhooks'),
    names.has('endpoint_id'),
  );
  const own: Own = {
    client_id: id,
    service_user_id: serviceUserId,
    app_user_id: chosen?.app_user_id,
    connection_id: connections.data?.entry[0]?.connection_id,
    endpoint_id: endpoints.data?.entry[0]?.endpoint_id,
    redirect_uri: client.redirect_uris[0],
  };
  const choices = {
    connection_id: connections.data?.entry.map(({ connection_id: value, health_system }) => ({
      value,
      label: health_system.name,
    })),
    endpoint_id: endpoints.data?.entry.map(({ endpoint_id: value, url }) => ({ value, label: url })),
  };
  return (
    <section className="operation">
      <h2 ref={heading} tabIndex={-1}>
        {operation.summary}
      </h2>
      <p>
        <code>
          {operation.method} {`{${operation.api}}`}
          {operation.path}
        </code>
      </p>
      {operation.description !== `${operation.summary}.` && <Prose text={operation.description} />}
      {hasUser && <UserPicker clientId={id} chosen={serviceUserId} choose={chooseUser} />}
      <Request
        // What was entered and answered belongs to the user for whom it was.
        key={hasUser ? serviceUserId : undefined}
        operation={operation}
        client={client}
        organisation={organisation}
        own={own}
        choices={choices}
      />
    </section>
  );
}

/** Descriptions have code in backticks, and paragraphs. */
function Prose({ text }: { text: string }): ReactNode {
  return text
    .split('\n')
    .filter(Boolean)
    .map((paragraph, index) => (
      <p key={index} className="prose">
        {paragraph.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}
      </p>
    ));
}

type Choices = Readonly<Record<string, { value: string; label: string }[] | undefined>>;

interface RequestProps extends ClientPageProps {
  operation: Operation;
  own: Own;
  choices: Choices;
}

function Request({ operation, client, organisation, own, choices }: RequestProps): ReactNode {
  const [entered, setEntered] = useState<Values>({});
  const values: Values = { ...firstValues(operation, own, client), ...entered };
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const [isSending, setSending] = useState(false);
  const [answer, setAnswer] = useState<Received>();
  const [failure, setFailure] = useState<unknown>();
  const request = requestOf(operation, values);
  const way = wayOf(operation, client, organisation.role, own['service_user_id']);
  const [needed, optional] = [true, false].map((isNeeded) =>
    operation.fields.filter((field) => isNeededFirst(field, operation) === isNeeded),
  );
  const input = (field: Field): ReactNode => (
    <Input
      key={field.key}
      field={field}
      value={values[field.key] ?? ''}
      change={(value) => setEntered({ ...entered, [field.key]: value })}
      choices={choices[field.name]}
    />
  );
  const [isKept, setKept] = useState(true);
  const send = async (): Promise<void> => {
    if ('reason' in way) return;
    setSending(true);
    setFailure(undefined);
    setAnswer(undefined);
    const begun = performance.now();
    try {
      const { body } = request;
      const response = await exchange(
        operation.method,
        way.path(request),
        typeof body === 'object' && body !== null ? body : undefined,
        request.headers,
      );
      setAnswer(await receive(response, begun));
      setKept(!response.ok || !isShownOnce(operation));
      if (operation.method !== 'GET' && response.ok)
        await refresh(keys.users(client.client_id), keys.webhooks(client.client_id), keys.clients(organisation.id));
    } catch (error) {
      setFailure(error);
    } finally {
      setSending(false);
    }
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const found = problemOf(operation, values);
    setProblem(found);
    if (found !== undefined || isSending) return;
    if (isAskedAbout(operation)) setAsking(true);
    else void send();
  };
  return (
    <>
      <form noValidate onSubmit={submit}>
        {needed?.map(input)}
        {optional && optional.length > 0 && (
          <details className="curl" open={needed?.length === 0 && optional.length <= 4}>
            <summary>Optional ({optional.length})</summary>
            {optional.map(input)}
          </details>
        )}
        {operation.body?.isText && (
          <BodyField value={values['json'] ?? ''} change={(json) => setEntered({ ...entered, json })} />
        )}
        <h3>As curl</h3>
        <CodeBlock text={curlOfOperation(operation, request, client.client_id)} what="the command" />
        {operation.credentials === 'user' && (
          <details className="curl">
            <summary>How to get an ACCESS_TOKEN</summary>
            <p>Your server gets a token for each of its users. With CLIENT_SECRET in the shell:</p>
            <CodeBlock text={tokenCommands(client.client_id, own['service_user_id'] ?? '1001')} what="the commands" />
          </details>
        )}
        {problem !== undefined && (
          <p className="field-error" role="alert">
            <Icon name="bad" />
            {problem}
          </p>
        )}
        {'reason' in way ? (
          <Notice>{way.reason}</Notice>
        ) : (
          <button type="submit" className="primary" aria-disabled={isSending}>
            Send
          </button>
        )}
      </form>
      {failure !== undefined && <Failure error={failure} />}
      <p className="muted" role="status">
        {isSending ? 'Sending…' : answer && 'The answer is below.'}
      </p>
      {answer && <AnswerView answer={answer} />}
      {answer && !isKept && !isAsking && (
        <DialogBox title={operation.summary} close={() => setKept(true)} isOnce>
          <Notice kind="warning">The answer has what is shown only now. Keep it before you go on.</Notice>
          <AnswerView answer={answer} />
          <div className="actions">
            <button type="button" className="primary" onClick={() => setKept(true)}>
              I have kept it
            </button>
          </div>
        </DialogBox>
      )}
      {isAsking && (
        <Confirm
          title={`${operation.summary}?`}
          action="Send"
          {...(operation.method === 'DELETE' ? nameOf(operation, values, own, client, choices) : {})}
          close={() => setAsking(false)}
          confirm={() => send()}
        >
          <CodeBlock
            text={[`${operation.method} ${request.path}`, request.text].filter(Boolean).join('\n')}
            what="the request"
          />
          <p>
            {operation.method === 'DELETE'
              ? 'It is carried out for this application, and cannot be undone.'
              : 'The secret is replaced, and the answer shows the new one this once.'}
          </p>
        </Confirm>
      )}
    </>
  );
}

/** The name of what a request deletes, or of the user of whom it deletes something. */
function nameOf(
  { key, fields }: Operation,
  values: Values,
  own: Own,
  client: Client,
  choices: Choices,
): { name?: string } {
  if (key === 'tokens.deleteClient') return { name: client.name };
  const valueOf = (name: string): string | undefined => {
    const field = fields.find((each) => each.name === name);
    return field && values[field.key]?.trim();
  };
  const endpoint = valueOf('endpoint_id');
  if (endpoint !== undefined) {
    const url = choices['endpoint_id']?.find(({ value }) => value === endpoint)?.label;
    return { name: url === undefined ? endpoint : new URL(url).host };
  }
  const id = valueOf('service_user_id');
  // The form can name another user than the chosen one.
  const name = id === own['service_user_id'] ? own['app_user_id'] : id;
  return name === undefined || name === '' ? {} : { name };
}

function isNeededFirst({ in: location, name, isRequired }: Field, { body, isOfUser }: Operation): boolean {
  if (location === 'path' || location === 'search' || isRequired) return true;
  if (location === 'body') return name in (body?.example ?? {});
  return isOfUser && name === 'service_user_id';
}

interface InputProps {
  field: Field;
  value: string;
  change: (value: string) => void;
  choices: { value: string; label: string }[] | undefined;
}

function Input({ field, value, change, choices }: InputProps): ReactNode {
  const id = useId();
  const { name, description, example, type } = field;
  const isNeeded = field.isRequired || field.in === 'path';
  const options = type === 'boolean' ? ['true', 'false'] : type === 'list' ? undefined : field.choices;
  const common = { id, value, 'aria-describedby': description === '' ? undefined : `${id}-hint` };
  const where = { path: '', search: '', query: 'in the query', header: 'header', body: '' }[field.in];
  return (
    <div className="field">
      <label htmlFor={id}>
        {name}
        {(where !== '' || isNeeded) && (
          <span className="muted"> {[where, isNeeded && 'required'].filter(Boolean).join(', ')}</span>
        )}
      </label>
      {options ? (
        <select {...common} onChange={({ target }) => change(target.value)}>
          {!isNeeded && <option value="">Not sent</option>}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          list={choices ? `${id}-list` : undefined}
          placeholder={example}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => change(target.value)}
        />
      )}
      {choices && (
        <datalist id={`${id}-list`}>
          {choices.map(({ value: each, label }) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </datalist>
      )}
      {description !== '' && (
        <p id={`${id}-hint`} className="hint">
          {description.replaceAll('`', '')}
          {type === 'list' && ' Several are separated by commas.'}
        </p>
      )}
    </div>
  );
}

function BodyField({ value, change }: { value: string; change: (value: string) => void }): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Body (JSON)</label>
      <textarea
        id={id}
        value={value}
        rows={Math.min(16, Math.max(4, value.split('\n').length))}
        spellCheck={false}
        onChange={({ target }) => change(target.value)}
      />
    </div>
  );
}

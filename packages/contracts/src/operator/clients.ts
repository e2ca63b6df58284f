import { z } from 'zod';
import { managedClient } from '../auth/internal';
import { type CallContext, type InternalHttp, absentWhen } from '../http/internal-http';
import { clientIdPattern, clientMode } from '../identifiers';
import { listCursor, operatorId, operatorPageSize, searchedText } from './common';

/** A client that the operator sees: its settings and its state, without its secrets. */
export const operatedClient = managedClient.extend({ created_at: z.iso.datetime() }).meta({ id: 'OperatedClient' });
export type OperatedClient = z.infer<typeof operatedClient>;

export const clientState = z.enum(['active', 'disabled', 'deleting']);

/** Which clients a list has. */
export const clientSearch = z.object({
  text: searchedText.optional().describe('A part of the name or of the client_id, or the id of the organisation.'),
  mode: clientMode.optional(),
  state: clientState.optional(),
  after: listCursor.optional().describe('`next` of the page before.'),
});
export type ClientSearch = z.infer<typeof clientSearch>;

/** A page of clients, newest first. */
export const operatedClientList = z
  .object({
    entry: z.array(operatedClient).max(operatorPageSize),
    next: listCursor.optional().describe('`after` of the next page; absent on the last one.'),
  })
  .meta({ id: 'OperatedClientList' });

export const clientStateChange = z.strictObject({ disabled: z.boolean(), operator: operatorId });

/**
 * Typed calls to the part of the internal API of auth that operators use in the console.
 * @throws InternalCallError from every method when auth does not respond with 2xx
 */
export class OperatorClientsClient {
  constructor(private readonly http: InternalHttp) {}

  list(search: ClientSearch, context: CallContext = {}): Promise<z.infer<typeof operatedClientList>> {
    return this.http.call({
      method: 'GET',
      path: '/internal/v1/operator/clients',
      query: search,
      response: operatedClientList,
      ...context,
    });
  }

  /** The client, also one that is disabled; undefined when there is none. */
  async find(clientId: string, context: CallContext = {}): Promise<OperatedClient | undefined> {
    if (!clientIdPattern.test(clientId)) return undefined;
    const call = this.http.call({ method: 'GET', path: pathOf(clientId), response: operatedClient, ...context });
    return absentWhen(call, ({ errorCode }) => errorCode === 'client_not_found');
  }

  /**
   * Disables or enables a client, as the commands do; undefined when there is none.
   * @throws InternalCallError with the code `client_being_deleted`
   */
  async setDisabled(
    clientId: string,
    change: z.infer<typeof clientStateChange>,
    context: CallContext = {},
  ): Promise<OperatedClient | undefined> {
    if (!clientIdPattern.test(clientId)) return undefined;
    const path = `${pathOf(clientId)}/state`;
    const call = this.http.call({ method: 'PUT', path, body: change, response: operatedClient, ...context });
    return absentWhen(call, ({ errorCode }) => errorCode === 'client_not_found');
  }
}

function pathOf(clientId: string): string {
  return `/internal/v1/operator/clients/${encodeURIComponent(clientId)}`;
}

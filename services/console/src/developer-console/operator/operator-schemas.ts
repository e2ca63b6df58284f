import {
  clientSearch,
  countedKeysStatus,
  uuidListCursor as listCursor,
  managedClient,
  operatedClient,
  searchedText,
} from '@tributary/contracts';
import { z } from 'zod';
import { role } from '../schemas';

/** The bodies and answers of the routes for operators, under `{base_url}/console/api/v1/operator`. */

const time = z.iso.datetime();

export const search = z.object({
  text: searchedText.optional().describe('A part of the name, the address or the id.'),
  after: listCursor.optional().describe('`next` of the page before.'),
});
const next = listCursor.optional().describe('`after` of the next page; absent on the last one.');

export const clientQuery = clientSearch;
/** Of a path. auth checks it. */
export const ofClient = z.object({ client_id: managedClient.shape.client_id });
export const disabled = z.strictObject({ disabled: z.boolean() });

/** A client with the name of its organisation, which the console knows. */
export const clientOfOrganisation = operatedClient
  .extend({
    organisation: z
      .object({ id: z.uuid(), name: z.string() })
      .nullable()
      .describe('Null: none, or one that does not exist any more.'),
  })
  .meta({ id: 'ClientOfOrganisation' });

const operatedOrganisation = z
  .object({
    id: z.uuid(),
    name: z.string(),
    may_have_live_clients: z.boolean(),
    created_at: time,
    members: z.int().min(0),
  })
  .meta({ id: 'OperatedOrganisation' });
export type OperatedOrganisation = z.infer<typeof operatedOrganisation>;
export const operatedOrganisationList = z
  .object({ entry: z.array(operatedOrganisation), next })
  .meta({ id: 'OperatedOrganisationList' });
export const organisationWithMembers = operatedOrganisation
  .extend({
    member: z.array(z.object({ account_id: z.uuid(), email: z.string(), name: z.string(), role })),
  })
  .meta({ id: 'OrganisationWithMembers' });
export const liveClients = z.strictObject({ may_have_live_clients: z.boolean() });

const operatedAccount = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    created_at: time,
    verified_at: time.nullable(),
    disabled_at: time.nullable(),
    operator_since: time.nullable(),
    organisations: z.array(z.object({ id: z.uuid(), name: z.string(), role })),
  })
  .meta({ id: 'OperatedAccount' });
export type OperatedAccount = z.infer<typeof operatedAccount>;
export const operatedAccountList = z
  .object({ entry: z.array(operatedAccount), next })
  .meta({ id: 'OperatedAccountList' });

const service = z.string();
const keysProblem = z
  .enum(['unreachable', 'unsupported', 'refused', 'failed'])
  .describe(
    '`unreachable`: there is no connection. `unsupported`: the service does not have this call, as one of an older version. `refused`: it does not accept the service key of the console. `failed`: it does not answer in time, or with an error.',
  );
export type KeysProblem = z.infer<typeof keysProblem>;
const keysOfService = z.union([
  z.object({ service, status: countedKeysStatus }),
  z.object({ service, problem: keysProblem }),
]);
export type KeysOfService = z.infer<typeof keysOfService>;
export const keysList = z.object({ entry: z.array(keysOfService) }).meta({ id: 'KeysList' });

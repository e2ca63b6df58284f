import { exampleValues, jwtBearerAssertionType } from '@tributary/contracts';
import { z } from 'zod';
import { clientAssertion } from '../client-authentication/parameters';

/** The request of each grant, for the documentation. `tokenParameters` reads all of them. */

const assertion = clientAssertion.meta({ examples: [exampleValues.client_assertion] });
const byHeader = 'Absent where HTTP Basic carries it, or a client_assertion is sent.';
const credentials = {
  client_id: z
    .string()
    .optional()
    .describe(byHeader)
    .meta({ examples: [exampleValues.client_id] }),
  client_secret: z
    .string()
    .optional()
    .describe(byHeader)
    .meta({ examples: [exampleValues.client_secret] }),
  client_assertion_type: z
    .literal(jwtBearerAssertionType)
    .optional()
    .describe('With a signed client_assertion in place of the secret.'),
  client_assertion: assertion.optional(),
};

export const tokenRequest = z.discriminatedUnion('grant_type', [
  z
    .object({
      grant_type: z.literal('authorization_code'),
      code: z
        .string()
        .describe('The code of the user, from user management: valid for ten minutes and one use.')
        .meta({ examples: [exampleValues.code] }),
      scope: z
        .string()
        .optional()
        .describe(
          '`patient/*.rs` for tokens that only read, as for an assistant; `patient/*.cruds` for reads and writes. Both by default.',
        )
        .meta({ examples: ['patient/*.rs'] }),
      ...credentials,
    })
    .meta({ id: 'AuthorizationCodeGrant' }),
  z
    .object({
      grant_type: z.literal('refresh_token'),
      refresh_token: z
        .string()
        .describe('The refresh token of the last response.')
        .meta({ examples: [exampleValues.refresh_token] }),
      scope: z.string().optional().describe('The scope of the token; a refresh does not change it.'),
      ...credentials,
    })
    .meta({ id: 'RefreshTokenGrant' }),
  z
    .object({
      grant_type: z.literal('client_credentials'),
      scope: z
        .string()
        .describe('`system/*.rs`, or single types such as `system/Patient.rs`; `.read` has the same meaning.')
        .meta({ examples: ['system/*.rs'] }),
      client_assertion_type: z.literal(jwtBearerAssertionType),
      client_assertion: assertion,
      client_id: z.string().optional().describe('The subject of the assertion.'),
    })
    .meta({ id: 'ClientCredentialsGrant' }),
]);

const secret = { client_id: exampleValues.client_id, client_secret: exampleValues.client_secret };

/** One request of each grant. */
export const tokenRequestExamples = {
  authorization_code: { grant_type: 'authorization_code', code: exampleValues.code, ...secret },
  refresh_token: { grant_type: 'refresh_token', refresh_token: exampleValues.refresh_token, ...secret },
  client_credentials: {
    grant_type: 'client_credentials',
    scope: 'system/*.rs',
    client_assertion_type: jwtBearerAssertionType,
    client_assertion: exampleValues.client_assertion,
  },
};

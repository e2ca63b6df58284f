import { jwtBearerAssertionType } from '@tributary/contracts';
import { z } from 'zod';

/** The reason why a parameter that is not a text is refused. None may be repeated (RFC 6749, section 3.2). */
export function notText(value: unknown): string {
  return Array.isArray(value) ? 'is given twice' : 'must be a string';
}

/** A parameter of a form or JSON body. */
export const parameter = z.string({ error: ({ input }) => (input === undefined ? undefined : notText(input)) });

export const clientAssertion = parameter.describe(
  'A JWT, signed by RS384 or ES384: iss and sub are the client_id, aud is the issuer or the token endpoint, exp at most five minutes ahead, jti used once.',
);

/** The parameters by which a client can authenticate. */
export const clientParameters = {
  client_id: parameter.optional(),
  client_secret: parameter.optional(),
  client_assertion_type: parameter
    .optional()
    .describe(`${jwtBearerAssertionType}: the client sends a signed client_assertion instead of its secret.`),
  client_assertion: clientAssertion.optional(),
};

/**
 * The parameters of revocation and introspection (RFC 7009, section 2.1; RFC 7662, section 2.1). The hint is ignored:
 * the format of a token shows its type.
 */
export const tokenParameters = z.object({
  ...clientParameters,
  token: parameter.min(1, 'must not be empty'),
  token_type_hint: parameter.optional(),
});

/** OAuth 2.0 defines forms; JSON is accepted besides. */
export const formOrJson = ['application/x-www-form-urlencoded', 'application/json'] as const;

/** The error responses of every endpoint that authenticates a client. */
export const clientErrors = {
  400: { description: 'invalid_request: a parameter is missing, repeated or wrong.' },
  401: { description: 'invalid_client: the client credentials or the client_assertion are missing or wrong.' },
};

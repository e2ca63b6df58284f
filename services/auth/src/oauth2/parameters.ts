import { z } from 'zod';
import { jwtBearer } from '../assertions/client-assertion';

/** A parameter of a form or JSON body. RFC 6749, section 3.2: none may be sent twice. */
export const parameter = z.string({
  error: ({ input }) => (input === undefined ? undefined : 'must be given once, as text'),
});

/** The parameters by which a client may make itself known. */
export const clientParameters = {
  client_id: parameter.optional(),
  client_secret: parameter.optional(),
  client_assertion_type: parameter
    .optional()
    .describe(`${jwtBearer}: the client signs who it is, instead of sending its secret.`),
  client_assertion: parameter
    .optional()
    .describe(
      'A JWT, signed by RS384 or ES384: iss and sub are the client_id, aud is the token endpoint, exp at most five minutes ahead, jti used once.',
    ),
};

/** Of revocation and introspection (RFC 7009, section 2.1; RFC 7662, section 2.1). A hint is not needed: all tokens are looked up by the same hash. */
export const tokenParameters = z.object({
  ...clientParameters,
  token: parameter.min(1, 'must not be empty'),
  token_type_hint: parameter.optional(),
});

/** The errors of every endpoint of a client. */
export const clientErrors = {
  400: { description: 'invalid_request: a parameter is missing, repeated or wrong.' },
  401: { description: 'invalid_client: the client credentials or the client_assertion are missing or wrong.' },
};

import { z } from 'zod';

/** A parameter of a form or JSON body. RFC 6749, section 3.2: none may be sent twice. */
export const parameter = z.string({ error: ({ input }) => (input === undefined ? undefined : 'must be given once, as text') });

/** The parameters by which a client may make itself known. */
export const clientParameters = {
  client_id: parameter.optional(),
  client_secret: parameter.optional(),
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
  401: { description: 'invalid_client: the client credentials are missing or wrong.' },
};

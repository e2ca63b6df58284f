import { z } from 'zod';

/** Identifies a user; positive, unique in the service, never reused (specification, "User record"). */
export const serviceUserId = z.int().positive().max(Number.MAX_SAFE_INTEGER);

/** The same where it comes from a query, a path or a form, as text. */
export const serviceUserIdText = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be a positive integer')
  .transform(Number)
  .pipe(serviceUserId);

/** The client's own identifier of a user (specification, "User record"). */
export const appUserId = z
  .string({ error: ({ input }) => (input === undefined ? undefined : 'must be a string') })
  .min(1, 'must not be empty')
  .refine((text) => [...text].length <= 255, 'must have at most 255 characters')
  .refine((text) => !/\p{Surrogate}/u.test(text), 'must be well-formed Unicode');

/** The characters that a URL carries unescaped (RFC 3986, section 2.3), but not `.` or `..` alone, which would be path segments. */
export const clientIdPattern = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** Identifies a client application. */
export const clientId = z.string().regex(clientIdPattern, 'must have 1 to 128 letters, digits or . _ ~ -');

/** Identifies a health system of the directory in the connect URL. */
export const healthSystemId = z.int().positive().max(Number.MAX_SAFE_INTEGER);
export const healthSystemIdText = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be a positive integer')
  .transform(Number)
  .pipe(healthSystemId);

export const connectionId = z.uuid();

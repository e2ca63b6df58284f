import { z } from 'zod';

const positiveIntegerText = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be a positive integer')
  .transform(Number);

/** Identifies a user: positive, unique in the service, never reused. */
export const serviceUserId = z.int().positive().max(Number.MAX_SAFE_INTEGER);

/** A `serviceUserId` as text, from a query, path or form. */
export const serviceUserIdText = positiveIntegerText.pipe(serviceUserId);

/** The identifier of a user in the client application: 1 to 255 Unicode characters. */
export const appUserId = z
  .string({ error: ({ input }) => (input === undefined ? undefined : 'must be a string') })
  .min(1, 'must not be empty')
  .refine((text) => [...text].length <= 255, 'must have at most 255 characters')
  .refine((text) => !/\p{Surrogate}/u.test(text), 'must be well-formed Unicode');

/** The characters that a URL carries unescaped (RFC 3986, section 2.3), but not `.` or `..` alone, which would be path segments. */
export const clientIdPattern = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** Identifies a client application. */
export const clientId = z.string().regex(clientIdPattern, 'must have 1 to 128 letters, digits or . _ ~ -');

/**
 * The mode of a client application. The users of a `test` client connect to test systems only, such as the sandbox; those
 * of a `live` client never do.
 */
export const clientMode = z.enum(['test', 'live']);
export type ClientMode = z.infer<typeof clientMode>;

/** Identifies a health system of the directory. */
export const healthSystemId = z.int().positive().max(Number.MAX_SAFE_INTEGER);
/** A `healthSystemId` as text, from a query, path or form. */
export const healthSystemIdText = positiveIntegerText.pipe(healthSystemId);

/** Identifies a connection of a user to a health system. */
export const connectionId = z.uuid();

import { z } from 'zod';
import { exampleValues } from './examples';

/** How the id of a user or of a health system is documented where it can come as text. */
export const documentedId = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

const positiveIntegerText = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be a positive integer')
  .transform(Number);

const notAnOffset = 'must be an integer, 0 or more';

/**
 * The position of the first entry of a page: a number in JSON, or its digits in a query or form. Any value is accepted.
 * A larger one than JSON represents exactly counts as 2^53 - 1, which is past every end.
 */
export const offset = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], notAnOffset)
  .refine((value) => Number.isInteger(value) && value >= 0, notAnOffset)
  .transform((value) => Math.min(value, Number.MAX_SAFE_INTEGER));

/** `offset` with the default, as OpenAPI documents it. */
export const documentedOffset = { type: 'integer', minimum: 0, default: 0 } as const;

/** The number of entries of a page, from the digits of a query. */
export const pageLimit = z
  .string()
  .regex(/^([1-9]\d?|100)$/, 'must be an integer from 1 to 100')
  .default('20')
  .transform(Number)
  .describe('The number of entries of a page.')
  .meta({ documented: { type: 'integer', minimum: 1, maximum: 100, default: 20 } });

/** Identifies a user: positive, unique in the service, never reused. */
export const serviceUserId = z
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .describe('Identifies the user; assigned by the service.')
  .meta({ documented: { ...documentedId, examples: [exampleValues.service_user_id] } });

/** A `serviceUserId` as text, from a query, path or form. */
export const serviceUserIdText = positiveIntegerText
  .pipe(serviceUserId)
  .meta({ documented: { ...documentedId, examples: [exampleValues.service_user_id] } });

/** Identifies an organisation of developers in the console. */
export const organisationId = z.uuid();

/** The identifier of a user in the client application: 1 to 255 Unicode characters. */
export const appUserId = z
  .string({ error: ({ input }) => (input === undefined ? undefined : 'must be a string') })
  .refine((text) => text.trim() !== '', 'must not be blank')
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
  .refine((text) => [...text].length <= 255, 'must have at most 255 characters')
  .refine((text) => !/\p{Surrogate}/u.test(text), 'must be well-formed Unicode')
  .describe('The identifier of the user in your application, unique in it.')
  .meta({ documented: { type: 'string', minLength: 1, maxLength: 255, examples: [exampleValues.app_user_id] } });

/**
 * The characters that a URL carries unescaped (RFC 3986, section 2.3), but not `.` or `..` alone, which would be path
 * segments.
 */
export const clientIdPattern = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** Identifies a client application. */
export const clientId = z
  .string()
  .regex(clientIdPattern, 'must have 1 to 128 letters, digits or . _ ~ -')
  .meta({ examples: [exampleValues.client_id] });

/**
 * The mode of a client application. The users of a `test` client connect to test systems only, such as the sandbox;
 * those of a `live` client never do.
 */
export const clientMode = z.enum(['test', 'live']);
export type ClientMode = z.infer<typeof clientMode>;

/** Identifies a health system of the directory. */
export const healthSystemId = z
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .meta({ documented: { ...documentedId, examples: [exampleValues.health_system_id] } });
/** A `healthSystemId` as text, from a query, path or form. */
export const healthSystemIdText = positiveIntegerText
  .pipe(healthSystemId)
  .meta({ documented: { ...documentedId, examples: [exampleValues.health_system_id] } });

/** Identifies a connection of a user to a health system. */
export const connectionId = z.uuid().meta({ examples: [exampleValues.connection_id] });

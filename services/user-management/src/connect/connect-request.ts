import { connectionId, fhirVersionText, healthSystemIdText, resourceTypeList } from '@tributary/contracts';
import { z } from 'zod';

export const connectParams = z.object({ health_system_id: healthSystemIdText });

/** What a client can choose about a connect session. */
export const sessionOptions = z.object({
  fhirVersion: fhirVersionText
    .optional()
    .describe('Without it every version that the health system supports is collected. R4 and 4.0.1 mean r4.')
    .meta({ documented: { type: 'string', enum: ['dstu2', 'stu3', 'r4'] } }),
  connection_id: connectionId
    .optional()
    .describe(
      'Reconnects this connection: only its FHIR release is authorized. When the user signs in as the same patient, it stays the same connection.',
    ),
  scope_types: resourceTypeList
    .optional()
    .describe(
      'The resource types to request, separated by commas; Patient is always among them. Only types that the client asks for; default: all of them.',
    ),
  confirm_person: z
    .union([z.enum(['true', 'false']), z.boolean().transform((confirmed) => (confirmed ? 'true' : 'false'))], {
      error: 'must be true or false',
    })
    .optional()
    .describe(
      'Whether the user has confirmed that the Patient of the health system may be another person than those of the record, as after `error=other_person`.',
    )
    .meta({ documented: { type: 'boolean' } }),
  redirect_uri: z.string().optional().describe('One of the registered ones. Default: the first.'),
  state: z.string().max(4096).optional().describe('Returned unchanged.'),
  prompt: z.string().max(64).optional().describe('Forwarded to the health system, in sandbox mode only.'),
  login_hint: z.string().max(256).optional().describe('Forwarded to the health system, in sandbox mode only.'),
});
export type SessionOptions = z.output<typeof sessionOptions>;

/** Query of `GET /connect/system/clinical/{health_system_id}`. */
export const connectQuery = z.object({
  client_id: z.string().min(1).describe('Identifies the client application.'),
  access_token: z.string().min(1).describe("The user's access token."),
  ...sessionOptions.shape,
});
export type ConnectQuery = z.output<typeof connectQuery>;

/** The last segment of the redirect_uri of a registration, which the operator chooses. */
export const callbackName = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);

export const callbackParams = z.object({ callback: callbackName });

/**
 * Query of `GET /connect/callback`: an authorization response (RFC 6749, section 4.1.2; RFC 9207). Health systems add
 * parameters of their own.
 */
export const callbackQuery = z.looseObject({
  state: z.string().optional(),
  code: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
  error_uri: z.string().optional(),
  iss: z.string().optional(),
});
export type CallbackQuery = z.output<typeof callbackQuery>;

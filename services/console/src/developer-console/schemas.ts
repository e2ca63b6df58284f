import { clientMode, clientsOfOrganisation, visibleText } from '@tributary/contracts';
import { z } from 'zod';

/** The bodies and answers of the developer console's API, under `{base_url}/console/api/v1`. */

const time = z.iso.datetime();

export const role = z
  .enum(['owner', 'developer', 'read_only'])
  .describe('Owners change the organisation and its members; read_only members change nothing.');
export type Role = z.infer<typeof role>;

const email = z
  .email()
  .max(254)
  .meta({ examples: ['developer@example.org'] });
const name = visibleText(100).meta({ examples: ['Better Sleep'] });
/** Longer ones would only take longer to hash. The rule of new passwords is in `password-rule.ts`. */
const password = z
  .string()
  .min(1)
  .max(128)
  .meta({ examples: ['correct horse battery staple'] });
/** 256 random bits, from the fragment of the link in a mail. */
const token = z
  .string()
  .regex(/^[\w-]{43}$/)
  .meta({ examples: ['token-of-the-mail-0123456789abcdefghijklmno'] });
const totpCode = z
  .string()
  .regex(/^\d{6}$/, 'must have six digits')
  .meta({ examples: ['123456'] });

/** Accounts and sign-in. */
export const signUp = z.object({ email, password, name });
export const ofToken = z.object({ token });
export const verifyEmail = z.object({ token, password });
export const ofEmail = z.object({ email });
export const signIn = z.object({ email, password });
export const resetPassword = z.object({ token, new_password: password });
export const changePassword = z.object({ current_password: password, new_password: password });
export const changeName = z.object({ name });

export const secondFactor = z.enum(['totp', 'passkey', 'recovery_code']);
export type SecondFactor = z.infer<typeof secondFactor>;
export const passwordAccepted = z
  .object({
    next: z.enum(['second_factor', 'enrol_second_factor']),
    second_factors: z.array(secondFactor).describe('Those that the account has.'),
  })
  .meta({ id: 'PasswordAccepted' });

export const totpSignIn = z.object({ code: totpCode });
export const recoveryCodeSignIn = z.object({
  code: z
    .string()
    .max(40)
    .describe('Hyphens, spaces and the case of letters do not matter.')
    .meta({ examples: ['ABCD-EFGH-IJKL-MNOP'] }),
});

/** As browsers make it (https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson). */
const credentialOf = <Response extends z.ZodType>(response: Response) =>
  z.looseObject({
    id: z.string().max(2000),
    rawId: z.string().max(2000),
    type: z.literal('public-key'),
    clientExtensionResults: z.looseObject({}).default({}),
    authenticatorAttachment: z.string().max(40).nullish(),
    response,
  });
const bytes = z.string().max(20_000);
export const passkeySignIn = z.object({
  response: credentialOf(
    z.looseObject({
      clientDataJSON: bytes,
      authenticatorData: bytes,
      signature: bytes,
      userHandle: z.string().max(200).nullish(),
    }),
  ),
});
export const newPasskey = z.object({
  name,
  response: credentialOf(
    z.looseObject({
      clientDataJSON: bytes,
      attestationObject: bytes,
      transports: z.array(z.string().max(40)).max(10).optional(),
    }),
  ),
});
export const passkeyOptions = z
  .looseObject({ challenge: z.string() })
  .describe('For `startRegistration` or `startAuthentication` of @simplewebauthn/browser, as `optionsJSON`.')
  .meta({ id: 'PasskeyOptions' });

/** The account and its sessions. */
const passkey = z
  .object({ id: z.uuid(), name: z.string(), created_at: time, last_used_at: time.nullable() })
  .meta({ id: 'Passkey' });
export const account = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    created_at: time,
    session: z.object({
      id: z.uuid(),
      level: z.enum(['password', 'second_factor']),
      second_factor_at: time.nullable().describe('Second factors can be changed for ten minutes after it.'),
      ends_at: time.describe('Earlier after 15 minutes without a request.'),
    }),
    second_factors: z.object({
      totp: z.object({ added_at: time }).nullable(),
      passkeys: z.array(passkey),
      recovery_codes_left: z.int().min(0),
    }),
    organisations: z
      .array(z.object({ id: z.uuid(), name: z.string(), role, may_have_live_clients: z.boolean() }))
      .describe('Empty until a second factor was used.'),
    is_operator: z.boolean().describe('Whether the account runs the service; false until a second factor was used.'),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof account>;
export const sessionList = z
  .object({
    entry: z.array(
      z.object({
        id: z.uuid(),
        current: z.boolean(),
        level: z.enum(['password', 'second_factor']),
        browser: z.string().describe('Such as `Firefox on Windows`.'),
        address: z.string().describe('The IP address at which the session began.'),
        created_at: time,
        last_used_at: time,
        ends_at: time,
      }),
    ),
  })
  .meta({ id: 'SessionList' });

/** Second factors. */
export const totpSetup = z
  .object({
    secret: z.string().describe('Base32, for typing it in.'),
    uri: z.string().describe('An otpauth:// URI.'),
    qr_code: z.string().describe('The URI as an SVG document.'),
  })
  .meta({ id: 'TotpSetup' });
const recoveryCodeList = z.array(z.string()).describe('Shown this once.');
export const factorAdded = z
  .object({ recovery_codes: recoveryCodeList.optional().describe('With the first second factor; shown this once.') })
  .meta({ id: 'FactorAdded' });
export const passkeyAdded = factorAdded.extend({ passkey }).meta({ id: 'PasskeyAdded' });
export const newRecoveryCodes = z.object({ recovery_codes: recoveryCodeList }).meta({ id: 'NewRecoveryCodes' });

/** Organisations. */
export const organisationName = z.object({ name });
export const organisation = z
  .object({
    id: z.uuid(),
    name: z.string(),
    may_have_live_clients: z.boolean(),
    created_at: time,
    role: role.describe('The role of the account that asks.'),
  })
  .meta({ id: 'Organisation' });
export const invitation = z
  .object({ id: z.uuid(), email: z.string(), role, invited_by: z.string(), expires_at: time })
  .meta({ id: 'Invitation' });
export const memberList = z
  .object({
    entry: z.array(z.object({ account_id: z.uuid(), email: z.string(), name: z.string(), role, joined_at: time })),
    invitations: z.array(invitation),
  })
  .meta({ id: 'MemberList' });
export type MemberList = z.infer<typeof memberList>;
export const newInvitation = z.object({ email, role });
export const readInvitation = z
  .object({ organisation: z.string(), email: z.string(), role, invited_by: z.string(), expires_at: time })
  .meta({ id: 'OpenedInvitation' });
export const memberRole = z.object({ role });

/** Client applications. auth checks name and redirect URIs, as it does for the operator's commands. */
export const newClient = z.object({
  mode: clientMode,
  name: z.string().meta({ examples: ['Better Sleep'] }),
  redirect_uris: z.array(z.string()).meta({ examples: [['https://app.example.org/connected']] }),
});
export const clientList = z.object({ entry: clientsOfOrganisation.shape.clients }).meta({ id: 'ClientList' });

/** Of paths. */
export const ofId = z.object({ id: z.uuid() });
export const ofInvitation = z.object({ id: z.uuid(), invitation_id: z.uuid() });
export const ofMember = z.object({ id: z.uuid(), account_id: z.uuid() });

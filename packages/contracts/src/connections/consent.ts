import { z } from 'zod';
import { documentedEnum } from './documented-enum';
import { clientId, clientMode, connectionId, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';

/** What has ended a consent. */
const consentEndings = {
  user: { meaning: 'The user disconnected.' },
  client: { meaning: 'The client disconnected the user.' },
  expiry: { meaning: 'The time of the consent ran out.' },
  health_system: { meaning: 'The health system no longer accepts the access, or it expired without a refresh token.' },
  replaced: { meaning: 'The user connected again; a later consent took its place.' },
} as const;
export type ConsentEnding = keyof typeof consentEndings;

export const consentEnding = documentedEnum(consentEndings).meta({ id: 'ConsentEnding' });

const scopes = z.array(z.string()).meta({ examples: [['launch/patient', 'patient/Observation.rs']] });

/** What a user agreed to when the connection was made, as the entry of the connection shows it. */
export const consentSummary = z
  .object({
    receipt_id: z
      .uuid()
      .describe('Identifies the consent receipt.')
      .meta({ examples: ['b7a1c0de-5f4e-4d3c-8b2a-190f8e7d6c5b'] }),
    client_id: clientId,
    given_at: z.iso.datetime().describe('When the user returned from the health system with its authorization.'),
    expires_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'Nothing is collected from this time on, and the access is revoked at the health system. `null`: no end.',
      ),
    ended_at: z.iso.datetime().optional().describe('Absent while the consent is in force.'),
    ended_by: consentEnding.optional(),
    types: z
      .array(z.string())
      .nullable()
      .describe('The resource types that are collected. `null`: all that the health system grants.')
      .meta({ examples: [['Observation', 'Patient']] }),
    scopes_requested: scopes.describe('The SMART scopes of the authorization request.'),
    scopes_granted: scopes.describe('The scopes that were granted at that time, as the health system names them.'),
  })
  .meta({ id: 'ConsentSummary' });
export type ConsentSummary = z.infer<typeof consentSummary>;

/** A consent with everything that its receipt holds. Modelled on the consent records of ISO/IEC TS 27560:2023. */
export const consentReceipt = consentSummary
  .omit({ client_id: true })
  .extend({
    connection_id: connectionId,
    client: z.object({ client_id: clientId, name: z.string().meta({ examples: ['My app'] }), mode: clientMode }),
    health_system: z.object({ id: healthSystemId, name: z.string().meta({ examples: ['Example Hospital'] }) }),
    fhirVersion,
    fhir_base_url: z.string().meta({ examples: ['https://fhir.example.org/r4'] }),
  })
  .meta({ id: 'ConsentReceipt' });
export type ConsentReceipt = z.infer<typeof consentReceipt>;

/** Response of `GET /connect/v1/connections/{connection_id}/consent`. */
export const connectionConsent = consentReceipt
  .extend({
    success: z.literal(true),
    earlier: z
      .array(consentReceipt)
      .describe('The receipts of the earlier consents to this connection, newest first; at most 100.'),
  })
  .meta({ id: 'ConnectionConsent' });

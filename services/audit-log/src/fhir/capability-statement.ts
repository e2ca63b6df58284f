import { oauthUris } from '@tributary/contracts';
import { type Api, anyone, softwareVersion } from '@tributary/service-kit';
import { z } from 'zod';

/** When the statement was last changed. */
const changed = '2026-11-22';

const searchParameters: readonly [name: string, type: string][] = [
  ['_id', 'token'],
  ['date', 'date'],
  ['patient', 'reference'],
  ['agent', 'reference'],
  ['action', 'token'],
  ['type', 'token'],
  ['subtype', 'token'],
  ['outcome', 'token'],
  ['entity', 'reference'],
];

/** Serves the CapabilityStatement of the audit events. */
export function serveCapabilityStatement(api: Api, fhirBase: string, path: string, authUrl: string): void {
  const statement = JSON.stringify(capabilityStatement(fhirBase, authUrl));
  api.route(
    {
      method: 'get',
      path: `${path}/metadata`,
      operationId: 'auditCapabilities',
      summary: 'The capabilities of this API',
      tags: ['Discovery'],
      authentication: anyone,
      responses: {
        200: {
          description: 'A CapabilityStatement.',
          contentType: 'application/fhir+json',
          schema: z.looseObject({ resourceType: z.literal('CapabilityStatement') }).meta({ id: 'CapabilityStatement' }),
        },
      },
    },
    ({ response }) => {
      response.type('application/fhir+json').send(statement);
      return undefined;
    },
  );
}

/** @param base of the FHIR API */
function capabilityStatement(base: string, authUrl: string): object {
  return {
    resourceType: 'CapabilityStatement',
    url: `${base}/metadata`,
    name: 'Tributary',
    status: 'active',
    date: changed,
    kind: 'instance',
    description: 'The audit events of the record of one user, or of all users of a client.',
    software: { name: 'Tributary', version: softwareVersion },
    implementation: { description: 'Tributary: audit events', url: base },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json'],
    rest: [
      {
        mode: 'server',
        security: {
          extension: [oauthUris(authUrl)],
          cors: true,
          description:
            'The bearer token of a user, or of a client whose scope covers AuditEvent (SMART Backend Services); or client_id and client_secret.',
          service: [
            {
              coding: [
                { system: 'http://terminology.hl7.org/CodeSystem/restful-security-service', code: 'SMART-on-FHIR' },
              ],
            },
          ],
        },
        resource: [
          {
            type: 'AuditEvent',
            supportedProfile: ['Read', 'Create', 'Update', 'Delete'].map(
              (name) => `https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.Patient${name}`,
            ),
            interaction: [{ code: 'read' }, { code: 'search-type' }],
            searchParam: searchParameters.map(([name, type]) => ({ name, type })),
          },
        ],
      },
    ],
  };
}

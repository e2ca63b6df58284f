import { exportPath, oauthUris } from '@tributary/contracts';
import { fhirVersionOf } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { type Api, anyone, softwareVersion } from '@tributary/service-kit';
import { z } from 'zod';

const guide = 'http://hl7.org/fhir/uv/bulkdata';
/** When the statement was last changed. */
const changed = '2026-11-22';

/** Serves the CapabilityStatement of the export operations. */
export function serveCapabilityStatement(api: Api, analyticsUrl: string, authUrl: string): void {
  const base = `${analyticsUrl}${exportPath.replace('/$export', '')}`;
  const statement = JSON.stringify(capabilityStatement(base, authUrl));
  api.route(
    {
      method: 'get',
      path: exportPath.replace('$export', 'metadata'),
      operationId: 'exportCapabilities',
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
function capabilityStatement(base: string, authUrl: string): Resource {
  return {
    resourceType: 'CapabilityStatement',
    url: `${base}/metadata`,
    name: 'Tributary',
    status: 'active',
    date: changed,
    kind: 'instance',
    description: 'Exports of the FHIR records of one user, or of all users of a client.',
    instantiates: [`${guide}/CapabilityStatement/bulk-data`],
    software: { name: 'Tributary', version: softwareVersion },
    implementation: { description: 'Tributary: bulk export', url: base },
    fhirVersion: fhirVersionOf.r4,
    format: ['application/fhir+json'],
    rest: [
      {
        mode: 'server',
        security: {
          extension: [oauthUris(authUrl)],
          cors: true,
          description:
            'The bearer token of a user, or of a client (SMART Backend Services); or client_id, client_secret and x-service-user-id: client.',
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
            type: 'Patient',
            operation: [{ name: 'export', definition: `${guide}/OperationDefinition/patient-export` }],
          },
          {
            type: 'Binary',
            documentation: 'The attachments of exported resources, in their own media type.',
            interaction: [{ code: 'read' }],
          },
        ],
        operation: [{ name: 'export', definition: `${guide}/OperationDefinition/export` }],
      },
    ],
  };
}

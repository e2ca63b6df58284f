import { exportPath } from '@tributary/contracts';
import { type Api, serveCapabilityStatement } from '@tributary/service-kit';

const guide = 'http://hl7.org/fhir/uv/bulkdata';

/** Serves the CapabilityStatement of the export operations. */
export function serveExportCapabilities(api: Api, serverUrl: string, authUrl: string): void {
  serveCapabilityStatement(api, {
    operationId: 'exportCapabilities',
    serverUrl,
    path: exportPath.replace('/$export', ''),
    authUrl,
    date: '2026-11-22',
    title: 'Tributary: bulk export',
    description: 'Exports of the FHIR records of one user, or of all users of a client.',
    instantiates: [`${guide}/CapabilityStatement/bulk-data`],
    credentials:
      'The bearer token of a user, or of a client (SMART Backend Services); or client_id, client_secret and x-service-user-id: client.',
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
  });
}

import { type Api, serveCapabilityStatement } from '@tributary/service-kit';

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
export function serveAuditCapabilities(api: Api, serverUrl: string, path: string, authUrl: string): void {
  serveCapabilityStatement(api, {
    operationId: 'auditCapabilities',
    serverUrl,
    path,
    authUrl,
    date: '2026-11-22',
    title: 'Tributary: audit events',
    description: 'The audit events of the record of one user, or of all users of a client.',
    credentials:
      'The bearer token of a user, or of a client whose scope covers AuditEvent (SMART Backend Services); or client_id and client_secret.',
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
  });
}

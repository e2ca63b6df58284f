import { waitUntil } from '@tributary/test-environment';
import { bearer, http } from '../suite/http';
import type { Ready } from '../suite/ready';
import { type Party, type Scheme, sentBy } from './parties';
import type { Identifiers, RouteCase, Sender } from './route-case';

/** The routes of bulk export, for the record of a user and for those of all users of a client. */
export function exportRoutes(ready: Ready): RouteCase[] {
  const exporting = `${ready.analytics_url}/bulk-data/r4/$export`;
  const headersOf = (party: Party, scheme: Scheme): Record<string, string> => ({
    ...sentBy(scheme, party, party)?.headers,
    ...allUsers(scheme),
  });
  const store = async ({ userToken }: Party, resource: { resourceType: string }): Promise<string> => {
    const url = `${ready.base_url}/r4/${resource.resourceType}`;
    return (await http('POST', url, { headers: bearer(userToken), json: resource })).json.text('id');
  };
  const patient = (owner: Party): Promise<string> =>
    store(owner, { resourceType: 'Patient', name: [{ text: owner.user.app_user_id }] } as { resourceType: string });
  const job = async (owner: Party, scheme: Scheme): Promise<Identifiers> => {
    const begun = await http('GET', `${exporting}?_type=Patient`, {
      headers: { ...headersOf(owner, scheme), Prefer: 'respond-async' },
    });
    const url = begun.headers.get('content-location') ?? '';
    const isFinished = async (): Promise<boolean> =>
      (await http('GET', url, { headers: headersOf(owner, scheme) })).status === 200;
    await waitUntil(isFinished, 'the export is finished', 50);
    return { export_id: url.split('/').at(-1) ?? '' };
  };
  const file = async (owner: Party, scheme: Scheme): Promise<Identifiers> => {
    await patient(owner);
    const manifest = await http('GET', `${exporting}?_type=Patient`, { headers: headersOf(owner, scheme) });
    return { file_token: /([^/]+)\.ndjson$/.exec(manifest.json.text('output', 0, 'url'))?.[1] ?? '' };
  };
  const all = (_: Identifiers, { scheme }: Sender): { headers: Record<string, string> } => ({
    headers: allUsers(scheme),
  });
  const ofPatient = (
    { patient_id }: Identifiers,
    { scheme }: Sender,
  ): { headers: Record<string, string>; json: object } => ({
    headers: allUsers(scheme),
    json: {
      resourceType: 'Parameters',
      parameter: [{ name: 'patient', valueReference: { reference: `Patient/${patient_id}` } }],
    },
  });
  const ofJob = (
    { export_id = '' }: Identifiers,
    { scheme }: Sender,
  ): { path: Record<string, string | number>; headers: Record<string, string> } => ({
    path: { export_id },
    headers: allUsers(scheme),
  });
  return [
    { operationId: 'readExportUsage', request: () => ({}) },
    { operationId: 'getExport', request: all },
    { operationId: 'getPatientExport', request: all },
    ...['postExport', 'postPatientExport'].map((operationId): RouteCase => ({
      operationId,
      make: async (owner) => ({ patient_id: await patient(owner) }),
      request: ofPatient,
      refuses: 400,
    })),
    { operationId: 'listExports', make: job, request: all, refuses: 200 },
    { operationId: 'exportStatus', make: job, request: ofJob },
    {
      operationId: 'deleteExport',
      make: job,
      request: ofJob,
      succeeds: 202,
      deleted: {
        make: async (owner) => {
          const identifiers = await job(owner, 'user_token');
          await http('DELETE', `${ready.analytics_url}/bulk-data/r4/$export-status/${identifiers['export_id']}`, {
            headers: bearer(owner.userToken),
          });
          return identifiers;
        },
      },
    },
    {
      operationId: 'downloadExportFile',
      make: file,
      request: ({ file_token = '' }, { scheme }) => ({
        path: { resource_type: 'Patient', file_token },
        headers: allUsers(scheme),
      }),
    },
    {
      operationId: 'downloadAttachment',
      make: async (owner) => ({
        id: await store(owner, {
          resourceType: 'Binary',
          contentType: 'text/plain',
          data: Buffer.from(owner.user.app_user_id).toString('base64'),
        } as { resourceType: string }),
      }),
      request: ({ id = '' }, { scheme }) => ({ path: { id }, headers: allUsers(scheme) }),
      deleted: {
        make: async (owner) => {
          const id = await store(owner, { resourceType: 'Binary', contentType: 'text/plain' } as {
            resourceType: string;
          });
          await http('DELETE', `${ready.base_url}/r4/Binary/${id}`, { headers: bearer(owner.userToken) });
          return { id };
        },
      },
    },
  ];
}

/** The header that client credentials need. */
function allUsers(scheme: Scheme): Record<string, string> {
  return scheme === 'client_id' ? { 'x-service-user-id': 'client' } : {};
}

import { text } from 'body-parser';
import { Router, type Request } from 'express';
import { isRelease } from '../releases';
import type { PatientRecord } from '../records/patient-record';
import { storedResource } from '../records/stored-resource';
import type { Sandbox } from '../sandbox';

/**
 * Changes to a record, so that a second collection finds something new. A resource with an old `meta.lastUpdated` is
 * one that was loaded late. `PUT /sandbox/patients/{username}/{release}` adds or replaces a resource (without `meta` it
 * gets the current time and the next version), `DELETE …/{type}/{id}` removes one. The changes are lost with a restart.
 */
export function changeRoutes(sandbox: Sandbox): Router {
  const router = Router();
  router.put('/:username/:release', text({ type: () => true, limit: '20mb' }), async (request, response) => {
    const record = await recordOf(sandbox, request);
    const source = String(request.body);
    const given = storedResource(source, sandbox.now());
    if (!record?.put)
      return void response.status(404).json({ error: 'there is no such record, or none that can change' });
    if (!given) return void response.status(400).json({ error: 'a FHIR resource is due' });
    const known = record.read(given.type, given.id);
    const changed = storedResource(source, sandbox.now(), String(Number(known?.versionId ?? 0) + 1))!;
    record.put(changed);
    response.status(known ? 200 : 201).json({ type: changed.type, id: changed.id, versionId: changed.versionId });
  });
  router.delete('/:username/:release/:type/:id', async (request, response) => {
    const record = await recordOf(sandbox, request);
    response.status(record?.remove?.(request.params.type, request.params.id) ? 204 : 404).end();
  });
  return router;
}

async function recordOf(sandbox: Sandbox, request: Request): Promise<PatientRecord | undefined> {
  const release = String(request.params['release']);
  return isRelease(release) ? sandbox.people.find(String(request.params['username']))?.record(release) : undefined;
}

import { Router } from 'express';
import type { Sandbox } from '../sandbox';

/**
 * The other host to which some scenarios send a collector. It is this process under another origin;
 * it serves files to anyone, and notes who brought a token along.
 */
export function elsewhereRoutes(sandbox: Sandbox): Router {
  const router = Router();
  router.use('/:username', (request, response) => {
    sandbox.observations.elsewhere(request.params.username, request.get('authorization') !== undefined);
    response.type('text/plain').send('A file at another host.\n');
  });
  return router;
}

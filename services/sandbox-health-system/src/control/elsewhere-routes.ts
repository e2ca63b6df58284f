import { Router } from 'express';
import type { Sandbox } from '../sandbox';

/**
 * The foreign host that some scenarios refer to. It is this process under another origin;
 * it serves files to everyone, and counts requests with a token.
 */
export function elsewhereRoutes(sandbox: Sandbox): Router {
  const router = Router();
  router.use('/:username', (request, response) => {
    sandbox.observations.elsewhere(request.params.username, request.get('authorization') !== undefined);
    response.type('text/plain').send('A file at another host.\n');
  });
  return router;
}

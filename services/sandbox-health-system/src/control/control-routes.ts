import { Router } from 'express';
import { demoPassword } from '../records/person';
import type { Sandbox } from '../sandbox';
import { scenarios } from '../scenarios/catalogue';
import { changeRoutes } from './change-routes';

/** The control API for scripts and tests. */
export function controlRoutes(sandbox: Sandbox): Router {
  const router = Router();
  router.get('/patients', (_request, response) => {
    response.json(
      sandbox.people.listed().map(({ username, releases }) => ({ username, password: demoPassword, releases })),
    );
  });
  router.use('/patients', changeRoutes(sandbox));
  router.get('/scenarios', (_request, response) => {
    response.json(scenarios.map(({ name, area, description }) => ({ name, area, description })));
  });
  router.get('/observations', (_request, response) => void response.json(sandbox.observations.all()));
  router.get(
    '/observations/:username',
    (request, response) => void response.json(sandbox.observations.of(request.params.username)),
  );
  router.get('/hosts', (_request, response) => void response.json(sandbox.observations.hosts()));
  router.delete('/observations', (_request, response) => {
    sandbox.observations.forget();
    response.status(204).end();
  });
  return router;
}

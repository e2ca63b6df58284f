import type { Express } from 'express';
import express from 'express';
import { softwareVersion } from '../config/software-version';

/**
 * The dependencies that the service needs to be ready, by name; a check rejects when its dependency is not available.
 */
export type ReadinessChecks = Record<string, () => Promise<unknown>>;

const checkTimeoutMs = 2000;

/**
 * `/healthz` (liveness): the process responds. `/readyz` (readiness): 200, or 503 with the names of the failed checks;
 * both with the version.
 */
export function healthRoutes(checks: ReadinessChecks, stopping: () => boolean): Express {
  const app = express();
  app.get('/healthz', (_request, response) => {
    response.locals['route'] = '/healthz';
    response.json({ status: 'live' });
  });
  app.get('/readyz', async (_request, response) => {
    response.locals['route'] = '/readyz';
    const names = Object.keys(checks);
    const results = await Promise.allSettled(names.map((name) => within(checks[name]!(), checkTimeoutMs)));
    const missing = names.filter((_name, index) => results[index]?.status === 'rejected');
    const ready = missing.length === 0 && !stopping();
    response
      .status(ready ? 200 : 503)
      .json({ status: stopping() ? 'stopping' : ready ? 'ready' : 'not ready', version: softwareVersion, missing });
  });
  return app;
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

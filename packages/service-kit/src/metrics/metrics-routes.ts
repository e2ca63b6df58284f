import express, { type Express } from 'express';
import { metrics } from './registry';

/** `GET /metrics` in the text format of Prometheus. Everything else is unknown. */
export function metricsRoutes(): Express {
  const app = express().disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.get('/metrics', async (_request, response) => {
    const text = await metrics.metrics();
    response.set({ 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(text);
  });
  return app;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gauge, Histogram } from 'prom-client';
import { metrics } from './registry';

const duration = new Histogram({
  name: 'tributary_http_request_duration_seconds',
  help: 'The time from the headers of a request to the end of its response, by route template and status class.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  registers: [metrics],
});

const inProgress = new Gauge({
  name: 'tributary_http_requests_in_progress',
  help: 'The requests whose response has not ended.',
  registers: [metrics],
});

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Routes are named in `locals`, as Express has them, also by a listener without Express. */
interface NamedResponse extends ServerResponse {
  locals?: Record<string, unknown>;
}

/** Names the route of a request that Express does not serve, by its template: a route never holds an id. */
export function nameRoute(response: ServerResponse, route: string): void {
  ((response as NamedResponse).locals ??= {})['route'] = route;
}

/**
 * Counts a request when its response is closed. Labels come from the table of routes, never from the request: its path
 * can hold ids and its query tokens. Requests that no route serves share the route `none`.
 */
export function measureRequest(request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now();
  inProgress.inc();
  response.once('close', () => {
    inProgress.dec();
    const route = (response as NamedResponse).locals?.['route'];
    duration.observe(
      {
        method: methods.has(request.method ?? '') ? request.method! : 'other',
        route: typeof route === 'string' ? route : 'none',
        status: `${Math.floor(response.statusCode / 100)}xx`,
      },
      (performance.now() - started) / 1000,
    );
  });
}

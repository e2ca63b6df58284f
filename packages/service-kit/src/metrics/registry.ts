import { Registry, collectDefaultMetrics } from 'prom-client';

/** The metrics of this process. */
export const metrics = new Registry();

/** Adds the metrics of the process and of its event loop, and the name of the service as a label of all. */
export function addProcessMetrics(service: string): void {
  metrics.setDefaultLabels({ service });
  collectDefaultMetrics({ register: metrics });
}

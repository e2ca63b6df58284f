import { Gauge } from 'prom-client';
import { metrics } from './registry';

/**
 * A value of a service that rises and falls. It has none until it is set, and none after `remove`.
 * @param name `tributary_…`
 */
export function gauge(name: string, help: string): Pick<Gauge, 'set' | 'remove'> {
  const created = new Gauge({ name, help, registers: [metrics] });
  created.remove();
  return created;
}

import { Counter } from 'prom-client';
import { metrics } from './registry';

/**
 * Counts events of a service.
 * @param name `tributary_…_total`
 * @param labelNames labels whose values come from a closed list in the code
 */
export function counter<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
): Counter<Label> {
  return new Counter({ name, help, labelNames, registers: [metrics] });
}

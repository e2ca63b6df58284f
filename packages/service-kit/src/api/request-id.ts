import { randomUUID } from 'node:crypto';

const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The caller's request id when it is a sane token, else a new one (contract, "Everywhere"). */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : randomUUID();
}

import { parseDateTime } from '@tributary/fhir-json';
import { InvalidArgumentError, Option } from 'commander';

/** A period of an operator's command. */
export interface Period {
  /** Epoch milliseconds. */
  from: number;
  /** Epoch milliseconds, exclusive. */
  before: number;
}

/** The options of a period: both dates belong to it. */
export const fromOption = (): Option =>
  new Option('--from <date>', 'from this date or time on, such as 2026-11 or 2026-11-22T10:00:00Z').argParser(dateTime);
export const toOption = (): Option => new Option('--to <date>', 'to this date or time').argParser(dateTime);

export interface Dates {
  from?: { low: number };
  to?: { high: number };
}

export function periodOf({ from, to }: Dates): Period {
  return { from: from?.low ?? -Infinity, before: to === undefined ? Infinity : to.high + 1 };
}

/** @throws InvalidArgumentError */
function dateTime(text: string): { low: number; high: number } {
  const date = parseDateTime(text);
  if (!date)
    throw new InvalidArgumentError('It must be a date or time such as 2026, 2026-11-22 or 2026-11-22T10:00:00Z.');
  return date;
}

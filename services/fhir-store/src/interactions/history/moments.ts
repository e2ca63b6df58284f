import { badRequest } from '../../http/fhir-error';

const dateTime =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;
const msOf = { minute: 60_000, second: 1000 };

/**
 * The moments that a FHIR date or time means: from low (inclusive) to high (exclusive). Without a zone it is UTC.
 * @throws FhirError 400 when it is none
 */
export function momentsOf(parameter: string, text: string): { low: number; high: number } {
  // A plus sign that was not encoded arrives as a space.
  const [whole, year, month, day, hour, minute, second, fraction, zone] = dateTime.exec(text.replace(' ', '+')) ?? [];
  if (whole === undefined || year === undefined) throw badRequest(`${parameter} takes a date or time`, 'value');
  const low = Date.parse(
    `${year}-${month ?? '01'}-${day ?? '01'}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}${(fraction ?? '.000').slice(0, 4).padEnd(4, '0')}${zone ?? 'Z'}`,
  );
  if (Number.isNaN(low) || (day !== undefined && !isDayOfMonth(Number(year), Number(month), Number(day))))
    throw badRequest(`${parameter} takes a date or time`, 'value');
  return { low, high: endOf(low, { month, day, minute, second, fraction }) };
}

function isDayOfMonth(year: number, month: number, day: number): boolean {
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function endOf(
  low: number,
  {
    month,
    day,
    minute,
    second,
    fraction,
  }: Record<'month' | 'day' | 'minute' | 'second' | 'fraction', string | undefined>,
): number {
  if (fraction !== undefined) return low + 1;
  if (second !== undefined) return low + msOf.second;
  if (minute !== undefined) return low + msOf.minute;
  const start = new Date(low);
  if (day !== undefined) return start.setUTCDate(start.getUTCDate() + 1);
  if (month !== undefined) return start.setUTCMonth(start.getUTCMonth() + 1);
  return start.setUTCFullYear(start.getUTCFullYear() + 1);
}

/** A date of FHIR, which can have no month or no day. One that does not exist is shown as it is. */
export function dateOf(language: string, date: string): string {
  const [year = 0, month, day] = date.split('-').map(Number);
  const at = new Date(Date.UTC(year, (month ?? 1) - 1, day ?? 1));
  if (month === undefined || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== (day ?? 1)) return date;
  const style: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: 'long',
    ...(day === undefined ? {} : { day: 'numeric' }),
    timeZone: 'UTC',
  };
  return new Intl.DateTimeFormat(language, style).format(at);
}

const shape = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(Z|[+ -]\d\d:\d\d))?)?)?$/;

/**
 * The moment that a FHIR date, dateTime or instant begins at, in whole milliseconds since 1970; a part left out stands for its
 * beginning, in UTC. The plus sign of a time zone may come as a blank: that is what it becomes in an address where nobody encodes it.
 * @returns undefined for what is none of these
 */
export function readMoment(text: string): number | undefined {
  const parts = shape.exec(text);
  if (!parts) return undefined;
  const [, year = '', month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    parts;
  const date = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const offset = zoneMinutes(zone);
  if (
    !isCalendarDay(date, Number(day)) ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(second) > 60 ||
    offset === undefined
  )
    return undefined;
  return date + (seconds - offset * 60) * 1000 + Math.floor(Number(`0${fraction}`) * 1000);
}

/** Whether the day exists: Date.parse takes 30 February for 1 March. */
function isCalendarDay(date: number, day: number): boolean {
  return !Number.isNaN(date) && new Date(date).getUTCDate() === day;
}

function zoneMinutes(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

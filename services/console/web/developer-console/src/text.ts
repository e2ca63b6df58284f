/** A message of the API as a sentence. */
export function sentence(text: string): string {
  const [first = '', ...others] = text;
  return `${first.toUpperCase()}${others.join('')}${/[.?]$/.test(text) ? '' : '.'}`;
}

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const seconds = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
/** The days of the API are those of UTC. */
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const numbers = new Intl.NumberFormat('en-GB');

/** @param time ISO 8601 */
export const timeText = (time: string): string => times.format(new Date(time));
/** To the second. @param time ISO 8601 */
export const secondsText = (time: string): string => seconds.format(new Date(time));
/** @param time ISO 8601 */
export const dateText = (time: string): string => dates.format(new Date(time));
/** @param day `YYYY-MM-DD`, of this year or the one before */
export const dayText = (day: string): string => days.format(new Date(day)).replace(' ', '\u00A0');
export const numberText = (value: number): string => numbers.format(value);

/** Such as "3 users". */
export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${numberText(count)} ${count === 1 ? noun : plural}`;

/** Units of durations, the longest first. */
export const units = [
  { name: 'day', short: 'd', seconds: 86_400 },
  { name: 'hour', short: 'h', seconds: 3600 },
  { name: 'minute', short: 'min', seconds: 60 },
  { name: 'second', short: 's', seconds: 1 },
] as const;

/** How long ago a time was, such as "3 hours". @param time ISO 8601 */
export function ageText(time: string): string {
  const age = Math.max(0, Date.now() - Date.parse(time)) / 1000;
  const { name, seconds } = units.find((unit) => age >= unit.seconds) ?? units[3];
  return countText(Math.floor(age / seconds), name);
}

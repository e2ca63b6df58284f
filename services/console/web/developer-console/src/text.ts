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

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** How long ago a time was, such as "3 hours". @param time ISO 8601 */
export function ageText(time: string): string {
  const ms = Math.max(0, Date.now() - Date.parse(time));
  const [unit, length] = units.find(([, length]) => ms >= length) ?? ['second', 1000];
  return countText(Math.floor(ms / length), unit);
}

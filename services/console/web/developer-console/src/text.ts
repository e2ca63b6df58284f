/** A message of the API as a sentence. */
export function sentence(text: string): string {
  const [first = '', ...others] = text;
  return `${first.toUpperCase()}${others.join('')}${/[.?]$/.test(text) ? '' : '.'}`;
}

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const numbers = new Intl.NumberFormat('en-GB');

/** @param time ISO 8601 */
export const timeText = (time: string): string => times.format(new Date(time));
/** @param time ISO 8601 */
export const dateText = (time: string): string => dates.format(new Date(time));
export const numberText = (value: number): string => numbers.format(value);

/** Such as "3 users". */
export const countText = (count: number, noun: string): string =>
  `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;

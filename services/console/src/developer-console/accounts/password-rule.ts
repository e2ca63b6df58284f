import { HttpError, weakness } from '@tributary/service-kit';
import { commonPasswords } from './common-passwords';

const minCharacters = 12;

/**
 * Checks a new password by NIST SP 800-63B, section 5.1.1.2: its length, and that nobody would guess it early. There
 * are no rules of its composition.
 * @param email of the account
 * @throws HttpError 400
 */
export function checkNewPassword(password: string, email: string): void {
  const problem = problemOf(password, email);
  if (problem !== undefined) throw new HttpError('weak_password', `the new password ${problem}`);
}

function problemOf(password: string, email: string): string | undefined {
  if ([...password].length < minCharacters) return `is shorter than ${minCharacters} characters`;
  const text = password.toLowerCase();
  const [localPart = ''] = email.toLowerCase().split('@');
  if (localPart.length >= 3 && text.includes(localPart)) return 'contains the e-mail address';
  if (commonPasswords.has(text) || isRun(text)) return 'is one of the most common ones';
  return weakness(password, minCharacters);
}

/** Rows of a keyboard, and the orders of letters and digits. */
const orders = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789'.repeat(3),
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
].flatMap((order) => [order, [...order].reverse().join('')]);

/** Whether a text repeats a short one, or is a piece of an order. */
function isRun(text: string): boolean {
  return /^(.{1,6})\1+.{0,5}$/s.test(text) || orders.some((order) => order.includes(text));
}

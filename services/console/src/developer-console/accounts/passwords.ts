import { hash, parseOptions, verify } from '@node-rs/argon2';

/** argon2id with the parameters that OWASP recommends (https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html). */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What an unknown address is compared with, so that it takes as long as a known one. */
let hashOfNobody: Promise<string> | undefined;

export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/** @param stored the hash of the account; undefined where there is no account, which takes the same time */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  const compared = stored ?? (await (hashOfNobody ??= hashPassword('')));
  return (await verify(compared, password)) && stored !== undefined;
}

/** Whether a hash was made with other parameters than new ones. */
export function isOutdated(stored: string): boolean {
  const made = parseOptions(stored);
  return Object.entries(parameters).some(([name, value]) => made[name as keyof typeof parameters] !== value);
}

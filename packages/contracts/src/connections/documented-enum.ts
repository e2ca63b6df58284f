import { z } from 'zod';

/** The codes as an enum, whose description has their meanings. */
export function documentedEnum<Code extends string>(codes: Readonly<Record<Code, { meaning: string }>>) {
  const names = Object.keys(codes) as [Code, ...Code[]];
  return z.enum(names).describe(names.map((code) => `\`${code}\`: ${codes[code].meaning}`).join(' '));
}

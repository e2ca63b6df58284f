import { clientAddress } from '@tributary/service-kit';
import type { Request, Response } from 'express';
import type { Dependencies } from '../dependencies';
import type { SecondFactor } from '../schemas';
import { usableFactors } from '../second-factors/factors';
import { browserName } from '../sessions/browser-name';
import { sessionSeconds } from '../sessions/sessions';

/** What follows a right password. */
export interface PasswordAccepted {
  next: 'second_factor' | 'enrol_second_factor';
  second_factors: SecondFactor[];
}

/** Begins a session of the password level in place of the one that the browser has. */
export async function beginSession(
  { cookie, pool, sessions, trustedProxies }: Dependencies,
  accountId: string,
  request: Request,
  response: Response,
): Promise<PasswordAccepted> {
  const previous = cookie.read(request);
  if (previous !== undefined) await sessions.endOf(previous);
  const secret = await sessions.begin(accountId, {
    browser: browserName(request.headers['user-agent']),
    address: clientAddress(request, trustedProxies),
  });
  response.append('Set-Cookie', cookie.set(secret, sessionSeconds));
  const factors = await usableFactors(pool, accountId);
  return { next: factors.length > 0 ? 'second_factor' : 'enrol_second_factor', second_factors: factors };
}

import { HttpError, clientAddress } from '@tributary/service-kit';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Dependencies } from '../dependencies';
import type { passwordAccepted } from '../schemas';
import { usableFactors } from '../second-factors/factors';
import { browserName } from '../sessions/browser-name';
import { sessionSeconds } from '../sessions/sessions';

/**
 * Begins a session of the password level in place of the one that the browser has.
 * @throws HttpError 401 when the password was changed since it was verified
 */
export async function beginSession(
  { cookie, pool, sessions, trustedProxies }: Dependencies,
  { id, passwordHash }: { id: string; passwordHash: string },
  request: Request,
  response: Response,
): Promise<z.infer<typeof passwordAccepted>> {
  const previous = cookie.read(request);
  if (previous !== undefined) await sessions.endOf(previous);
  const secret = await sessions.begin(id, passwordHash, {
    browser: browserName(request.headers['user-agent']),
    address: clientAddress(request, trustedProxies),
  });
  if (secret === undefined) throw new HttpError('invalid_credentials', 'the password was changed meanwhile');
  response.append('Set-Cookie', cookie.set(secret, sessionSeconds));
  const factors = await usableFactors(pool, id);
  return { next: factors.length > 0 ? 'second_factor' : 'enrol_second_factor', second_factors: factors };
}

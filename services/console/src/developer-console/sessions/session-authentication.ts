import {
  type Authentication,
  type BrowserCookie,
  HttpError,
  RefusedCaller,
  assertOwnOrigin,
  browserNavigation,
} from '@tributary/service-kit';
import type { Request } from 'express';
import type { Session, Sessions } from './sessions';

const cookieId = 'session';
/** A page says by it that nobody has used it for a while: what it asks for by itself does not prolong the session. */
const unattended = 'x-unattended';

/** The cookie that has the secret of a session, as `Set-Cookie` values. */
export class SessionCookie {
  constructor(private readonly cookie: BrowserCookie) {}

  /** @param maxAgeSeconds 0 removes it */
  set(secret: string, maxAgeSeconds: number): string {
    return this.cookie.set(cookieId, secret, maxAgeSeconds);
  }

  read({ headers }: Request): string | undefined {
    return this.cookie.read(cookieId, headers.cookie);
  }
}

export interface SessionAuthentications {
  /** No session is needed. */
  anonymous: Authentication<undefined>;
  /** A session of any level: what completes signing in. */
  anySession: Authentication<Session>;
  /** A session with a second factor. */
  session: Authentication<Session>;
  /** A session of an operator with a second factor. For all others there is no such route. */
  operator: Authentication<Operator>;
  /** The same, for what changes something: the second factor was used in the last ten minutes. */
  recentOperator: Authentication<Operator>;
}

/** Who runs the service. `operator` is the id of the account, as audit events name it. */
export interface Operator {
  operator: string;
}

/** How the callers of the routes are authenticated. What is no GET needs the origin of the console, and JSON. */
export function sessionAuthentications(
  sessions: Sessions,
  cookie: SessionCookie,
  baseUrl: string,
): SessionAuthentications {
  const find = async (request: Request): Promise<Session> => {
    assertOwnRequest(request, baseUrl);
    const secret = cookie.read(request);
    const session =
      secret === undefined ? undefined : await sessions.find(secret, request.headers[unattended] === undefined);
    if (!session) throw new HttpError('not_signed_in', 'there is no session, or it has ended: sign in');
    return session;
  };
  const findOperator = async (request: Request): Promise<Session> => {
    const session = await find(request);
    if (!session.isOperator || session.level !== 'second_factor')
      throw new RefusedCaller(session, 'not_found', 'there is nothing at this address');
    return session;
  };
  return {
    anonymous: {
      ...browserNavigation,
      authenticate: async (request) => Promise.resolve(assertOwnRequest(request, baseUrl)),
    },
    anySession: { scheme: 'session', authenticate: find },
    session: {
      scheme: 'session',
      authenticate: async (request) => {
        const session = await find(request);
        if (session.level !== 'second_factor')
          throw new HttpError('second_factor_required', 'the session has a password only: use a second factor');
        return session;
      },
    },
    operator: {
      scheme: 'session',
      authenticate: async (request) => ({ operator: (await findOperator(request)).developer }),
    },
    recentOperator: {
      scheme: 'session',
      authenticate: async (request) => {
        const { developer, isRecent } = await findOperator(request);
        if (!isRecent) throw signInAgain({ operator: developer });
        return { operator: developer };
      },
    },
  };
}

export function signInAgain(caller: Operator | Session): HttpError {
  return new RefusedCaller(
    caller,
    'sign_in_again',
    'sign in with a second factor again: the last time is over ten minutes ago',
  );
}

/**
 * Browsers let a form of another site send a POST without asking, but neither as JSON nor with the origin of the
 * console. A link of another site can open any address, and some public APIs begin work by GET.
 * @throws HttpError 403, 415
 */
function assertOwnRequest({ method, headers }: Request, baseUrl: string): undefined {
  assertOwnOrigin(headers, baseUrl);
  if (
    !['GET', 'HEAD', 'DELETE'].includes(method) &&
    !/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')
  )
    throw new HttpError('unsupported_media_type', 'send the input as application/json, with this Content-Type');
}

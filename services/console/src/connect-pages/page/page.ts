import { type AuthClient, type ClientApplication, type ConnectSessionsClient, mayWrite } from '@tributary/contracts';
import {
  type AccessTokens,
  type BrowserCookie,
  HttpError,
  assertMayWrite,
  badRequest,
  bearerChallenge,
  isOfFrame,
} from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { rootOf } from '../../web-assets';
import { type MadeConnection, type PageSession, type PageSessions, type SessionKey } from '../sessions/page-sessions';
import { answered } from '../../answered';
import { type ApiUrls, PublicApis } from './public-apis';
import { wayBack } from './way-back';

export interface PageDependencies {
  auth: Pick<AuthClient, 'findClient'>;
  tokens: Pick<AccessTokens, 'resolve'>;
  connectSessions: Pick<ConnectSessionsClient, 'begin' | 'endLink'>;
  sessions: PageSessions;
  cookie: BrowserCookie;
  apis: ApiUrls;
  /** The public address, {base_url}. */
  baseUrl: string;
}

/** What a request to a page belongs to. */
export interface Page {
  key: SessionKey;
  session: PageSession;
  client: ClientApplication;
  /** The path under which the screens of the page are. */
  path: string;
  /** The connections that were made on the page. */
  made: MadeConnection[];
  apis: PublicApis;
}

/** What is known of a page whose request fails. */
interface PageFacts {
  appName: string;
  /** A data: URL. */
  appLogo?: string;
  /** The origins whose pages may show the page in a frame. */
  frameOrigins?: string[];
  /** The origins of the application, whose windows learn what happens on the page. */
  messageOrigins: string[];
  backUrl?: string;
  /** The path under which its screens are. */
  path?: string;
}

interface PageCall {
  request: Request;
  response: Response;
  requestId: string;
}

/** Whose pages are opened. */
export interface Opening {
  client_id: string;
  access_token: string;
  account_name?: string | undefined;
  redirect_uri?: string | undefined;
  state?: string | undefined;
}

/**
 * Opens a page for the user of the access token, in the browser that has sent the request.
 * @returns the path of the page
 * @throws HttpError 400, 401 or 403
 */
export async function openPage(
  { auth, tokens, sessions, cookie, baseUrl }: PageDependencies,
  { request, response, requestId }: PageCall,
  { client_id, access_token: accessToken, account_name: accountName, redirect_uri, state }: Opening,
): Promise<string> {
  const client = await auth.findClient(client_id, { requestId });
  if (!client) throw new HttpError('invalid_client', 'the client_id is not known');
  const isRegistered = (uri: string | undefined): uri is string =>
    uri !== undefined && client.redirect_uris.includes(uri);
  const redirectUri = redirect_uri ?? client.redirect_uris[0];
  const back = isRegistered(redirectUri) ? { backUrl: wayBack({ redirectUri, state }, [], 'server_error') } : {};
  showFacts(response, { ...factsOf(client), ...back });
  const token = await tokens.resolve(accessToken, requestId, request);
  if (token?.service_user_id === undefined || token.client_id !== client.client_id)
    throw new HttpError(
      'invalid_token',
      'the access_token is not valid for this client',
      bearerChallenge(true).headers,
    );
  assertMayWrite({ mayWrite: mayWrite(token.scope) });
  if (!isRegistered(redirectUri))
    throw badRequest('the redirect_uri is not registered for this client', 'invalid_redirect_uri');
  const session = {
    clientId: client.client_id,
    serviceUserId: token.service_user_id,
    accessToken,
    redirectUri,
    ...(state === undefined ? {} : { state }),
    ...(accountName === undefined ? {} : { accountName }),
    ...(isOfFrame(request) ? { isFramed: true as const } : {}),
  };
  const seconds = Math.max(1, token.expires_at - Math.floor(Date.now() / 1000));
  const key = await sessions.create(session, seconds);
  const ended = cookie.endOldest(request.headers.cookie, session.isFramed);
  response.append('Set-Cookie', [...ended, cookie.set(key.id, key.secret, seconds, session.isFramed)]);
  return pathOf(baseUrl, key.id);
}

/**
 * Whose pages a connect link opens. The link belongs to the browser that has its cookie.
 * @throws HttpError 403 or 410
 */
export async function endLink(
  { connectSessions, cookie }: PageDependencies,
  { request, requestId }: Pick<PageCall, 'request' | 'requestId'>,
  link: string,
): Promise<Opening> {
  const browser_secret = cookie.read(link, request.headers.cookie);
  if (browser_secret === undefined)
    throw new HttpError('connect_link_ended', 'this connect link has ended, or belongs to another browser');
  return answered(connectSessions.endLink({ link, browser_secret }, { requestId }));
}

interface FoundSession {
  key: SessionKey;
  session: PageSession;
  made: MadeConnection[];
  /** Where the browser goes back to. */
  backUrl: string;
}

/**
 * The session of a request, whose browser has its cookie.
 * @param ticket in place of the cookie, which the window gets
 * @throws HttpError 410 when it has ended, or belongs to another browser
 */
export async function findSession(
  { sessions, cookie }: PageDependencies,
  { request, response }: Pick<PageCall, 'request' | 'response'>,
  id: string,
  ticket?: string,
): Promise<FoundSession> {
  const secret = cookie.read(id, request.headers.cookie);
  const fromCookie = secret === undefined ? undefined : { id, secret };
  const fromTicket = ticket === undefined ? undefined : await sessions.findTicket(ticket);
  const key = fromTicket ?? fromCookie;
  const session = key?.id === id ? await sessions.find(key) : undefined;
  if (!key || !session) throw new HttpError('connect_page_ended', 'this page has ended, or belongs to another browser');
  if (fromTicket) response.append('Set-Cookie', cookie.set(key.id, key.secret, await sessions.secondsLeft(key)));
  const made = await sessions.made(key);
  return { key, session, made, backUrl: wayBack(session, made, 'access_denied') };
}

/**
 * The page of a request.
 * @throws HttpError 410 as `findSession`; 401 when the access of the user has ended
 */
export async function findPage(
  dependencies: PageDependencies,
  { request, response, requestId }: PageCall,
  id: string,
  ticket?: string,
): Promise<Page> {
  const { key, session, made, backUrl } = await findSession(dependencies, { request, response }, id, ticket);
  const client = await dependencies.auth.findClient(session.clientId, { requestId });
  if (!client) throw new HttpError('invalid_client', 'the client does not exist any more');
  const path = pathOf(dependencies.baseUrl, id);
  showFacts(response, { ...factsOf(client), backUrl, path });
  const { accessToken } = session;
  // The address of the browser is not counted: the token was valid when the page was opened.
  if (!(await dependencies.tokens.resolve(accessToken, requestId)))
    throw new HttpError('invalid_token', 'the access of the user has ended');
  return {
    key,
    session,
    client,
    path,
    made,
    apis: new PublicApis(dependencies.apis, { accessToken, requestId }),
  };
}

/** {base_url} can have a path of its own. */
function pathOf(baseUrl: string, id: string): string {
  return `${rootOf(baseUrl)}/connect/pages/${id}`;
}

function factsOf({ name: appName, logo, frame_origins: frameOrigins, redirect_uris }: ClientApplication): PageFacts {
  const ofRedirects = redirect_uris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin);
  return {
    appName,
    messageOrigins: [...new Set([...(frameOrigins ?? []), ...ofRedirects])],
    ...(logo === undefined ? {} : { appLogo: logo }),
    ...(frameOrigins === undefined ? {} : { frameOrigins }),
  };
}

function showFacts({ locals }: Response, facts: PageFacts): void {
  locals['pageFacts'] = facts;
}

export function pageFactsOf({ locals }: Response): Partial<PageFacts> {
  return (locals['pageFacts'] as PageFacts | undefined) ?? {};
}

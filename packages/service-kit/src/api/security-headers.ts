import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const ofApplications = helmet({ crossOriginResourcePolicy: { policy: 'same-site' } });

/**
 * Sets the security headers of an Express application. Other origins of the same site, such as a documentation page of
 * another service, may load responses; `crossOriginHeaders` extends that to all origins. At localhost a browser would
 * apply Strict-Transport-Security to everything else on the machine, so it is left out.
 */
export const securityHeaders: RequestHandler = (request, response, next) =>
  ofApplications(request, response, (error) => {
    if (request.hostname === 'localhost') response.removeHeader('Strict-Transport-Security');
    next(error);
  });

/**
 * The security headers of responses that are data and never a page, as names and values in turn, the form that
 * `writeHead` writes fastest. They allow no content at all, and leave out the headers that concern documents only.
 * `Cross-Origin-Resource-Policy` is in `crossOriginHeaders`.
 */
export const dataSecurityHeaders: readonly string[] = headersSetBy(
  helmet({
    crossOriginResourcePolicy: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }),
);

/** Runs the middleware once, on a response that only records its headers. */
function headersSetBy(middleware: ReturnType<typeof helmet>): string[] {
  const headers: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => undefined,
  };
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return headers;
}

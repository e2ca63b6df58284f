import { requestIdPattern } from '@tributary/contracts';
import { nearPaths } from './near-paths';
import {
  type FailureStatus,
  failureContent,
  failures,
  headers,
  jsonType,
  liveBody,
  maxBinaryBytes,
  maxBodyBytes,
  notFoundBody,
} from './responses';
import { type Backend, backends, healthPath, publicBackends, routes } from './routes';
import { type PageLanguage, pageLanguages, unavailablePage, unavailablePagePolicy } from './unavailable-page';

/** What differs between the places where the gateway runs. Each text is lines of HAProxy's configuration. */
export interface Deployment {
  /** Where the file comes from. */
  heading: string;
  /** Of the section `global`, with further sections behind it. */
  global: string;
  /** Of the section `defaults`. */
  defaults: string;
  /** The addresses of the public base URLs; each has the name of its base URL. */
  binds: string;
  /** Rules of the frontend for requests of a load balancer in front of the gateway. */
  fromBalancers?: string;
  /** Whether a browser may learn that the host of the gateway is reached over TLS only. */
  isStrictTransport: boolean;
  /** The replicas of a service. */
  serversOf(service: Backend['service']): string;
  /** Further sections. */
  sections: readonly string[];
}

/**
 * Renders the configuration of HAProxy (https://docs.haproxy.org/2.6/configuration.html) from the table of routes and
 * responses.
 */
export function renderHaproxy(deployment: Deployment): string {
  return (
    [
      preamble(deployment),
      defaults(deployment),
      frontend(deployment),
      ...backends.map((target) => backend(target, deployment)),
      nothing(),
      ...deployment.sections,
    ].join('\n\n') + '\n'
  );
}

const overTlsOnly = `  # RFC 6797, section 7.2: not over plain HTTP.
  http-after-response del-header Strict-Transport-Security unless { var(txn.scheme) -m str https }`;

/** With forward secrecy and authenticated encryption, for TLS 1.2; all suites of TLS 1.3 have both. */
const tlsCiphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

function preamble({ heading, global }: Deployment): string {
  return `# ${heading}
#
# The reverse proxy of the public base URLs.
global
  log stdout format raw local0 info
  tune.bufsize 40960
  tune.http.maxhdr 128
  # The private key is beside the certificate: that of tls.crt is tls.key.
  ssl-load-extra-del-ext
  # The protocol versions and cipher suites of the services.
  ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets
  ssl-default-bind-ciphers ${tlsCiphers}
  ssl-default-server-options ssl-min-ver TLSv1.2 no-tls-tickets
  ssl-default-server-ciphers ${tlsCiphers}
${global}`;
}

function defaults(deployment: Deployment): string {
  return `defaults
  mode http
  log global
  # The URL of a request may contain an access token, a code, an id or clinical search values. Only the name of its route is
  # logged. What a client sends is encoded, so that it cannot end the string.
  log-format '{"time":"%[date,utime(%Y-%m-%dT%H:%M:%SZ)]","service":"gateway","requestId":"%[var(txn.request_id),json(utf8s)]","method":"%[capture.req.method,json(utf8s)]","route":"%[var(txn.route)]","status":%ST,"ms":%Ta,"upstreamMs":%Tr,"bytes":%B,"backend":"%b","server":"%s","termination":"%tsc"}'
  option forwardfor
  option dontlognull
  # A service stops the work of a request when its client disconnects.
  option abortonclose
  option redispatch 1
  timeout connect 5s
  timeout http-request 20s
  timeout http-keep-alive 65s
  timeout client 120s
  timeout server 120s
  timeout queue 10s
  timeout check 4s
  # A request is sent again only where this repeats nothing: when no connection was made, or when a safe request got no
  # response.
  retries 3
  retry-on conn-failure empty-response
  # A service closes idle connections after 65 s, later than this proxy does, and a stopping service closes them long after
  # its health check failed: a reused connection is still open.
  http-reuse always
  option httpchk GET /readyz
  default-server pool-purge-delay 20s inter 2s fastinter 500ms fall 2 rise 1 pool-max-conn 256
${deployment.defaults}
${httpErrors('json')}`;
}

function frontend({ binds, fromBalancers, isStrictTransport }: Deployment): string {
  const acls = routes.map(({ path }, index) => `  acl route_${index} path_reg ${quote(path)}`);
  const toRoutes = routes.map(
    ({ name }, index) =>
      `  http-request set-var(txn.route) str(${name}) if base_url !{ var(txn.route) -m found } route_${index}`,
  );
  const toOthers = Object.entries(publicBackends).map(
    ([name, { service }]) => `  http-request set-var(txn.route) str(${service}) if { so_name ${name} }`,
  );
  const toBackends = backends.map((target) => {
    const names = routes.filter((route) => route.backend === target).map(({ name }) => name);
    const reached = names.length === 0 ? target.service : names.join(' ');
    return `  http-request set-var(txn.backend) str(${idOf(target)}) if { var(txn.route) -m str ${reached} }`;
  });
  const rewrites = routes
    .filter(({ isRewritten }) => isRewritten)
    .map(({ path }) => String.raw`  http-request replace-path ${quote(path)} '\1' if base_url`);
  const ownHeaders = Object.entries(headers).map(
    ([name, value]) => `  http-after-response set-header ${name} "${value}" unless { res.hdr(X-Request-Id) -m found }`,
  );
  return `# One frontend for the public base URLs, which differ by the port on which they arrive.
frontend public
${binds}
  acl base_url so_name base_url
  acl is_binary path_reg ^/(dstu2|stu3|r4)/Binary(/[^/_][^/]*)?$
  acl is_page req.hdr(Accept) -m sub text/html
${acls.join('\n')}

  # The whole value, and not an element of a list: what is checked is what is logged and forwarded.
  http-request set-var(txn.request_id) req.fhdr(X-Request-Id)
  http-request set-var(txn.request_id) uuid unless { var(txn.request_id) -m reg ${requestIdPattern.source} }
${healthRule}
  # The services believe the proxies that they know. A client that sends X-Forwarded-For itself could claim any address.
${fromBalancers ?? '  http-request del-header X-Forwarded-For'}
  http-request set-var(txn.scheme) str(https) if { ssl_fc }
  http-request set-var(txn.scheme) str(http) unless { var(txn.scheme) -m found }
  http-request set-header X-Request-Id %[var(txn.request_id)]
  http-request set-header X-Forwarded-Proto %[var(txn.scheme)]
  http-request disable-l7-retry unless { method GET HEAD OPTIONS }
${[...toRoutes, ...toOthers, ...toBackends].join('\n')}
  # While no replica is ready, a person gets a page. To a program the backend answers.
  http-request set-var(txn.language) req.fhdr(Accept-Language),language(${pageLanguages.join(';')},${pageLanguages[0]}) if is_page
${pageLanguages.map(unavailableRule).join('\n')}
  http-request deny deny_status 413 if { req.body_size gt ${maxBodyBytes} } !is_binary
  http-request deny deny_status 413 if { req.body_size gt ${maxBinaryBytes} }
${rewrites.join('\n')}
  use_backend %[var(txn.backend)] if { var(txn.backend) -m found }
  default_backend nothing

  # The services send these headers themselves; the responses of this proxy get them here.
${ownHeaders.join('\n')}
${isStrictTransport ? overTlsOnly : '  http-after-response del-header Strict-Transport-Security'}
  http-after-response set-header X-Request-Id %[var(txn.request_id)] unless { res.hdr(X-Request-Id) -m found }`;
}

function backend(target: Backend, { serversOf }: Deployment): string {
  return [
    `backend ${idOf(target)}`,
    ...(target.errorFormat === 'fhir' ? [httpErrors('fhir')] : []),
    ...(target.files ? [askOthers] : []),
    serversOf(target.service),
  ].join('\n');
}

/**
 * Each attempt asks another replica than the one before, by chance: in turn, two files that a page loads at once could
 * each meet every second replica only. Of three replicas, one that has the file is missed once in 10^9 requests; of
 * ten, once in 35.
 */
const askOthers = `  # A replica of another build does not have the file.
  balance random(1)
  retries 30
  retry-on conn-failure empty-response 404`;

function idOf({ service, files }: Backend): string {
  return [service.replaceAll('-', '_'), files ?? []].flat().join('_');
}

/** Answers a person with a page while no replica of the service is ready. */
function unavailableRule(language: PageLanguage): string {
  const headersOfPage = {
    ...headers,
    'Content-Security-Policy': unavailablePagePolicy,
    'Content-Language': language,
    'Retry-After': String(failures[503].retryAfter),
    Vary: 'Accept, Accept-Language',
  };
  const lines = Object.entries(headersOfPage).flatMap(([name, value]) =>
    name === 'X-Frame-Options' ? [] : [` hdr ${name} "${value}"`],
  );
  return `  http-request return status 503 content-type "text/html; charset=utf-8" string ${quote(unavailablePage(language))}${lines.join('')} hdr X-Request-Id %[var(txn.request_id)] if is_page { var(txn.language) -m str ${language} } { var(txn.backend) -m found } { var(txn.backend),nbsrv eq 0 }`;
}

function nothing(): string {
  const notFound = (hint?: string): string =>
    `  http-request return status 404 content-type ${quote(jsonType)} string ${quote(JSON.stringify(notFoundBody(hint)))}`;
  const near = nearPaths.map(({ path, hint }) => `${notFound(hint)} if { path_reg -i ${quote(path)} }`);
  return ['backend nothing', ...near, notFound()].join('\n');
}

function httpErrors(format: Backend['errorFormat']): string {
  return Object.keys(failures)
    .map((status) => {
      const { contentType, body, retryAfter } = failureContent(Number(status) as FailureStatus, format);
      const retry = retryAfter === undefined ? '' : ` hdr Retry-After ${retryAfter}`;
      return `  http-error status ${status} content-type ${quote(contentType)} string ${quote(JSON.stringify(body))}${retry}`;
    })
    .join('\n');
}

/** The rule of a frontend that serves the gateway's own health check. */
export const healthRule = `  http-request return status 200 content-type ${quote(jsonType)} string ${quote(JSON.stringify(liveBody))} if { path ${healthPath} }`;

/** HAProxy takes everything between single quotes as it is. */
function quote(text: string): string {
  if (text.includes("'")) throw new Error(`HAProxy cannot quote: ${text}`);
  return `'${text}'`;
}

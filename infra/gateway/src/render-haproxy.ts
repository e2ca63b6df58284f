import { requestIdPattern } from '@tributary/contracts';
import { nearPaths } from './near-paths';
import {
  type FailureStatus,
  failureContent,
  failures,
  headers,
  jsonType,
  liveBody,
  maxBodyBytes,
  notFoundBody,
} from './responses';
import { type Backend, backends, healthPath, publicBackends, routes } from './routes';

/** The ports on which the public base URLs arrive. */
const ports = { base_url: 8080, auth_url: 8082, search_url: 8083, analytics_url: 8084 } as const;
/** How long analytics-export can read the blocks of a snapshot, and with it the longest download of one. */
const longestDownloadHours = 25;
/** How many replicas of a service the gateway can use. */
const maxReplicas = 10;

/**
 * Renders the configuration of HAProxy (https://docs.haproxy.org/2.6/configuration.html) from the table of routes and
 * responses.
 */
export function renderHaproxy(): string {
  return [preamble, defaults(), health(), frontend(), ...backends.map(backend), nothing()].join('\n\n') + '\n';
}

/** With forward secrecy and authenticated encryption, for TLS 1.2; all suites of TLS 1.3 have both. */
const tlsCiphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const preamble = `# Generated from infra/gateway/src by: npm run generate -w @tributary/gateway
#
# The reverse proxy of the four public base URLs. Each service may run as any number of replicas behind one name: the
# replicas are the addresses that DNS returns for it, and a replica that is not ready receives no requests.
global
  log stdout format raw local0 info
  # The limit of connections follows from the limit of open files, which container engines often leave unlimited.
  fd-hard-limit 40000
  # A reload leaves the processes before to the requests under way. A download lasts no longer than its blocks are kept.
  hard-stop-after ${longestDownloadHours}h
  tune.bufsize 40960
  tune.http.maxhdr 128
  # The private key is beside the certificate: that of tls.crt is tls.key.
  ssl-load-extra-del-ext
  # The protocol versions and cipher suites of the services.
  ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets
  ssl-default-bind-ciphers ${tlsCiphers}
  ssl-default-server-options ssl-min-ver TLSv1.2 no-tls-tickets
  ssl-default-server-ciphers ${tlsCiphers}

resolvers containers
  parse-resolv-conf
  accepted_payload_size 8192
  resolve_retries 3
  timeout resolve 1s
  timeout retry 1s
  hold valid 2s
  hold other 10s
  hold refused 10s
  hold timeout 10s
  hold nx 5s
  hold obsolete 5s`;

function defaults(): string {
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
  default-server pool-purge-delay 20s inter 2s fastinter 500ms fall 2 rise 1 check port 8081 pool-max-conn 256 resolvers containers resolve-prefer ipv4 init-addr none
${httpErrors('json')}`;
}

function frontend(): string {
  const binds = (options: string): string =>
    Object.entries(ports)
      .map(([name, port]) => `  bind "\${BIND_ADDRESS}:${port}" name ${name}${options}`)
      .join('\n');
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
    return `  http-request set-var(txn.backend) str(${idOf(target.service)}) if { var(txn.route) -m str ${reached} }`;
  });
  const rewrites = routes
    .filter(({ isRewritten }) => isRewritten)
    .map(({ path }) => String.raw`  http-request replace-path ${quote(path)} '\1' if base_url`);
  const ownHeaders = Object.entries(headers).map(
    ([name, value]) => `  http-after-response set-header ${name} "${value}" unless { res.hdr(X-Request-Id) -m found }`,
  );
  return `# One frontend for the four public base URLs, which differ by the port on which they arrive.
frontend public
# A client that names a host of the second certificate gets this one: services reach the gateway by another name.
${ifSet(
  'TLS_INTERNAL_CERTIFICATE_FILE',
  binds(' ssl crt "${TLS_CERTIFICATE_FILE}" crt "${TLS_INTERNAL_CERTIFICATE_FILE}" alpn h2,http/1.1'),
  ifSet('TLS_CERTIFICATE_FILE', binds(' ssl crt "${TLS_CERTIFICATE_FILE}" alpn h2,http/1.1'), binds('')),
)}
  acl base_url so_name base_url
${acls.join('\n')}

  # The whole value, and not an element of a list: what is checked is what is logged and forwarded.
  http-request set-var(txn.request_id) req.fhdr(X-Request-Id)
  http-request set-var(txn.request_id) uuid unless { var(txn.request_id) -m reg ${requestIdPattern.source} }
  http-request return status 200 content-type ${quote(jsonType)} string ${quote(JSON.stringify(liveBody))} if { path ${healthPath} }
  # The services believe the proxies that they know. A client that sends X-Forwarded-For itself could claim any address.
${ifSet(
  'LOAD_BALANCERS',
  `  acl from_balancer src -- "\${LOAD_BALANCERS[*]}"
  http-request set-var(txn.scheme) str(https) if from_balancer { req.hdr(X-Forwarded-Proto) -m str https }
  http-request del-header X-Forwarded-For unless from_balancer`,
  '  http-request del-header X-Forwarded-For',
)}
  http-request set-var(txn.scheme) str(https) if { ssl_fc }
  http-request set-var(txn.scheme) str(http) unless { var(txn.scheme) -m found }
  http-request set-header X-Request-Id %[var(txn.request_id)]
  http-request set-header X-Forwarded-Proto %[var(txn.scheme)]
  http-request disable-l7-retry unless { method GET HEAD OPTIONS }
${[...toRoutes, ...toOthers, ...toBackends].join('\n')}
  http-request deny deny_status 413 if { req.body_size gt ${maxBodyBytes} }
${rewrites.join('\n')}
  use_backend %[var(txn.backend)] if { var(txn.backend) -m found }
  default_backend nothing

  # The services send these headers themselves; the responses of this proxy get them here.
${ownHeaders.join('\n')}
  # RFC 6797, section 7.2: not over plain HTTP.
  http-after-response del-header Strict-Transport-Security unless { var(txn.scheme) -m str https }
  http-after-response set-header X-Request-Id %[var(txn.request_id)] unless { res.hdr(X-Request-Id) -m found }`;
}

function backend({ service, errorFormat }: Backend): string {
  const variable = `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;
  const servers = `  server-template ${service} ${maxReplicas} "\${${variable}}"`;
  const verified = `ssl verify required ca-file "\${TLS_CA_FILE}" sni str(${service}) verifyhost ${service}`;
  return [
    `backend ${idOf(service)}`,
    ...(errorFormat === 'fhir' ? [httpErrors('fhir')] : []),
    ifSet('TLS_CA_FILE', `${servers} ${verified} check-ssl check-sni ${service}`, servers),
  ].join('\n');
}

/** A part of the configuration that depends on an environment variable; an empty one counts as absent. */
function ifSet(variable: string, set: string, absent?: string): string {
  const condition = `.if defined(${variable}) && strneq("$${variable}","")`;
  return [condition, set, ...(absent === undefined ? [] : ['.else', absent]), '.endif'].join('\n');
}

function health(): string {
  return ifSet(
    'HEALTH_ADDRESS',
    `# For the health check of the container, which speaks plain HTTP.
frontend health
  bind "\${HEALTH_ADDRESS}"
  http-request return status 200 content-type ${quote(jsonType)} string ${quote(JSON.stringify(liveBody))} if { path ${healthPath} }
  default_backend nothing`,
  );
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

function idOf(service: Backend['service']): string {
  return service.replaceAll('-', '_');
}

/** HAProxy takes everything between single quotes as it is. */
function quote(text: string): string {
  if (text.includes("'")) throw new Error(`HAProxy cannot quote: ${text}`);
  return `'${text}'`;
}

import { type Deployment, healthRule } from './render-haproxy';

/** The ports on which the public base URLs arrive. */
const ports = { base_url: 8080, auth_url: 8082, search_url: 8083, analytics_url: 8084 } as const;
/** How long analytics-export can read the blocks of a snapshot, and with it the longest download of one. */
const longestDownloadHours = 25;
/** How many replicas of a service the gateway can use. */
const maxReplicas = 10;

/**
 * The gateway of docker-compose. Each service may run as any number of replicas behind one name: the replicas are the
 * addresses that DNS returns for it, and a replica that is not ready receives no requests. The environment of the
 * container has the addresses and the certificates.
 */
export const containers: Deployment = {
  heading: 'Generated from infra/gateway/src by: npm run generate -w @tributary/gateway',
  global: `  # The limit of connections follows from the limit of open files, which container engines often leave unlimited.
  fd-hard-limit 40000
  # A reload leaves the processes before to the requests under way. A download lasts no longer than its blocks are kept.
  hard-stop-after ${longestDownloadHours}h

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
  hold obsolete 5s`,
  defaults: '  default-server check port 8081 resolvers containers resolve-prefer ipv4 init-addr none',
  binds: `  # A client that names a host of the second certificate gets this one: services reach the gateway by another name.
${ifSet(
  'TLS_INTERNAL_CERTIFICATE_FILE',
  bindsWith(' ssl crt "${TLS_CERTIFICATE_FILE}" crt "${TLS_INTERNAL_CERTIFICATE_FILE}" alpn h2,http/1.1'),
  ifSet('TLS_CERTIFICATE_FILE', bindsWith(' ssl crt "${TLS_CERTIFICATE_FILE}" alpn h2,http/1.1'), bindsWith('')),
)}`,
  fromBalancers: ifSet(
    'LOAD_BALANCERS',
    `  acl from_balancer src -- "\${LOAD_BALANCERS[*]}"
  http-request set-var(txn.scheme) str(https) if from_balancer { req.hdr(X-Forwarded-Proto) -m str https }
  http-request del-header X-Forwarded-For unless from_balancer`,
    '  http-request del-header X-Forwarded-For',
  ),
  isStrictTransport: true,
  serversOf: (service) => {
    const variable = `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;
    const servers = `  server-template ${service} ${maxReplicas} "\${${variable}}"`;
    const verified = `ssl verify required ca-file "\${TLS_CA_FILE}" sni str(${service}) verifyhost ${service}`;
    return ifSet('TLS_CA_FILE', `${servers} ${verified} check-ssl check-sni ${service}`, servers);
  },
  sections: [
    ifSet(
      'HEALTH_ADDRESS',
      `# For the health check of the container, which speaks plain HTTP.
frontend health
  bind "\${HEALTH_ADDRESS}"
${healthRule}
  default_backend nothing`,
    ),
  ],
};

function bindsWith(options: string): string {
  return Object.entries(ports)
    .map(([name, port]) => `  bind "\${BIND_ADDRESS}:${port}" name ${name}${options}`)
    .join('\n');
}

/** A part of the configuration that depends on an environment variable; an empty one counts as absent. */
function ifSet(variable: string, set: string, absent?: string): string {
  const condition = `.if defined(${variable}) && strneq("$${variable}","")`;
  return [condition, set, ...(absent === undefined ? [] : ['.else', absent]), '.endif'].join('\n');
}

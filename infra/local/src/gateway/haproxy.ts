import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Deployment, renderHaproxy } from '@tributary/gateway';
import { DirectoryLock, ServerProcess } from '@tributary/local-databases';
import type { Addresses, ReplicatedListener } from '../suite/addresses';
import type { SuiteCertificates } from '../suite/certificates';
import { get } from '../suite/get';
import type { Server } from '../suite/supervised-server';

/** HAProxy finishes the requests in progress, and ends. */
const stopSignal = 'SIGUSR1';

export interface HaproxyOptions {
  executable: string;
  /** The folder of its configuration. */
  directory: string;
  logFile: string;
  addresses: Addresses;
  certificates?: SuiteCertificates | undefined;
}

/** Starts HAProxy as the gateway of the suite, and waits until it responds. */
export async function startHaproxy(options: HaproxyOptions): Promise<Server> {
  const { executable, directory, logFile, addresses, certificates } = options;
  mkdirSync(directory, { recursive: true });
  const lock = await DirectoryLock.acquire(directory, stopSignal);
  try {
    const configuration = join(directory, 'haproxy.cfg');
    writeFileSync(configuration, renderHaproxy(localDeployment(addresses, certificates)));
    const server = await ServerProcess.start({
      name: 'HAProxy',
      executable,
      args: ['-db', '-f', configuration],
      directory,
      environment: { PATH: process.env['PATH'] },
      logFile,
      stopSignal,
    });
    await lock.recordServer(server.pid);
    await server.untilReady(() => isReady(addresses, certificates));
    return { pid: server.pid, exited: server.exited, stop: () => server.stop().then(() => lock.release()) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function isReady(addresses: Addresses, certificates: SuiteCertificates | undefined): Promise<boolean> {
  return get(`${addresses.url('gateway')}/healthz`, certificates?.authority).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** The internal APIs that are balanced over the replicas of a service. */
const internalListeners = [
  'auth internal',
  'search internal',
  'user-management internal',
  'fhir-store internal',
] as const satisfies readonly ReplicatedListener[];

/**
 * The gateway of one local suite. A single replica of a service is reached without health checks, because nothing can
 * take its place.
 */
function localDeployment(addresses: Addresses, certificates: SuiteCertificates | undefined): Deployment {
  const hasReplicas = addresses.replicas > 1;
  const bind = (port: number): string => `  bind 127.0.0.1:${port}`;
  const tls = certificates ? ` ssl crt "${certificates.files('gateway').certificate}" alpn h2,http/1.1` : '';
  const publicBind = (name: string, port: number): string => `${bind(port)} name ${name}${tls}`;
  const verified = (name: string): string =>
    certificates ? ` verify required ca-file "${certificates.authorityFile}" verifyhost ${name}` : '';
  const checked = (name: string, port: number): string =>
    ` check port ${port}${certificates ? ` check-ssl check-sni ${name}` : ''}`;

  const serversOf: Deployment['serversOf'] = (service) =>
    addresses
      .replicaPorts(service)
      .map((port, index) => {
        const encrypted = certificates ? ` ssl sni str(${service})${verified(service)}` : '';
        const internalPort = addresses.replicaPort(`${service} internal`, index + 1);
        const check = hasReplicas ? checked(service, internalPort) : '';
        return `  server ${service}-${index + 1} 127.0.0.1:${port}${encrypted}${check}`;
      })
      .join('\n');

  const internal = (listener: (typeof internalListeners)[number]): string => {
    const [service = ''] = listener.split(' ');
    const servers = addresses
      .replicaPorts(listener)
      .map((port, index) => `  server ${index + 1} 127.0.0.1:${port}${verified(service)}${checked(service, port)}`);
    return [`listen ${service}_internal`, bind(addresses.port(listener)), ...servers].join('\n');
  };

  return {
    heading: 'Written by npm start',
    global: '  maxconn 4000\n  nbthread 2\n  hard-stop-after 10s',
    defaults: '  option dontlog-normal',
    binds: [
      publicBind('base_url', addresses.port('gateway')),
      ...(hasReplicas
        ? [
            publicBind('auth_url', addresses.port('auth')),
            publicBind('search_url', addresses.port('search')),
            publicBind('analytics_url', addresses.port('analytics-export')),
          ]
        : []),
    ].join('\n'),
    isStrictTransport: false,
    serversOf,
    sections: hasReplicas ? [connections, ...internalListeners.map(internal)] : [],
  };
}

/**
 * Connections to an internal API end at the replicas, as mutual TLS does. A replica that is not ready has its own
 * responses; one that does not live gets no connections.
 */
const connections = `defaults
  mode tcp
  timeout connect 5s
  timeout client 120s
  timeout server 120s
  timeout check 2s
  retries 3
  option redispatch 1
  option httpchk GET /healthz
  default-server inter 1s fall 2 rise 1`;

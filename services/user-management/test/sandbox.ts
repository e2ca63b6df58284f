import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FhirVersion } from '@tributary/contracts';
import { onChosenPort } from '@tributary/test-environment';
import axios from 'axios';
import { Browser } from './browser';
import { type Person, admin, baseUrl, connectUrl } from './connect-flow';
import type { RunningForTest } from './running-service';

const main = join(__dirname, '..', '..', 'sandbox-health-system', 'src', 'main.ts');

/** The sandbox health system in a process of its own, where our client is registered. */
export interface Sandbox {
  /** Host and port. */
  host: string;
  /**
   * Connects a user to the sandbox with a scenario; empty: with none.
   * @returns the URL of the redirect to the client
   */
  connect(
    person: Person,
    scenario: string,
    releases?: FhirVersion[],
    parameters?: Record<string, string>,
  ): Promise<URL>;
  /** Changes the registration of our client. @param more options of `registration set` */
  register(...more: string[]): Promise<void>;
  /** The number of token requests of this grant type that the sandbox has received. */
  tokenRequests(grantType: string): Promise<number>;
  close(): Promise<void>;
}

/** @throws Error when the sandbox does not start */
export async function startSandbox(service: RunningForTest, variables: Record<string, string> = {}): Promise<Sandbox> {
  const { child, port } = await onChosenPort(async (chosen) => ({
    child: await startProcess(chosen, variables),
    port: chosen,
  }));
  const origin = originAt(port);
  const register = async (...more: string[]): Promise<void> => {
    const words =
      `registration set --host 127.0.0.1:${port} --client-id tributary --auth-method client_secret_basic --client-secret tributary-sandbox-secret`.split(
        ' ',
      );
    await admin(service, ...words, ...more);
  };
  await register();
  const healthSystems = new Map<string, number>();
  return {
    host: `127.0.0.1:${port}`,
    connect: (person, scenario, releases = ['r4'], parameters = {}) => {
      const endpoints = releases.map((fhirVersion) => ({
        fhirVersion,
        fhir_base_url: `${origin}${scenario && `/s/${scenario}`}/fhir/${fhirVersion}`,
      }));
      const key = JSON.stringify(endpoints);
      const healthSystem = healthSystems.get(key) ?? service.directory.add(endpoints);
      healthSystems.set(key, healthSystem);
      const url = connectUrl(person, healthSystem, {
        prompt: 'none',
        login_hint: 'amelia-hart',
        ...parameters,
      });
      return new Browser(service.app, baseUrl).follow(url, [origin, `http://localhost:${port}`]);
    },
    register,
    tokenRequests: async (grantType) => {
      const { data } = await axios.get<Record<string, { tokenRequests: Record<string, number> }>>(
        `${origin}/sandbox/observations`,
      );
      return Object.values(data).reduce((sum, { tokenRequests }) => sum + (tokenRequests[grantType] ?? 0), 0);
    },
    close: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

const originAt = (port: number): string => `http://127.0.0.1:${port}`;

/** Resolves when the sandbox listens. @throws Error when it ends before */
async function startProcess(port: number, variables: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['--require', require.resolve('@tributary/test-environment/launch/typescript-sources.js'), main],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: String(port),
        SANDBOX_URL: originAt(port),
        SANDBOX_REDIRECT_URIS: `${baseUrl}/connect/callback`,
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  // Its first output says that it listens. A request to the port could reach another process that has taken it.
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the sandbox did not start'))),
  ]);
  child.stdout.resume();
  return child;
}

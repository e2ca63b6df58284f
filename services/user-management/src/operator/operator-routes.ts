import {
  changedHosts,
  clientId,
  clientUserCount,
  collectionQueueState,
  operatorHostPause,
  operatorHostResume,
  operatorRegistrationCheck,
  outcomeList,
  outcomeQuery,
  pausedHostList,
  registrationCheckStep,
  registrationList,
} from '@tributary/contracts';
import { serveKeysStatus } from '@tributary/key-providers';
import { type Api, HttpError, badRequest, describeError, serviceKeyAuthentication } from '@tributary/service-kit';
import { z } from 'zod';
import type { Dependencies } from '../dependencies';
import { HealthSystemNameError, endpointsOfNamed, hostsOfNamed } from '../health-systems/named-health-system';
import { listWorstOutcomes } from '../outcomes/connect-outcomes';
import { checkRegistration } from '../registration-check/check-registration';
import { CollectionCounts } from './queue-state';

/** The internal API for operators in the console: what their commands do, without data of users. */
export function serveOperator(api: Api, dependencies: Dependencies): void {
  const { config, users, registrations, pausedHosts, database, directory, collectionQueue, keysStatus, log } =
    dependencies;
  const counts = new CollectionCounts(database);
  const authentication = serviceKeyAuthentication(config.SERVICE_KEYS, ['console']);
  const reads = {
    method: 'get',
    authentication,
    audit: { none: 'the console records what an operator reads, which is no data of a user' },
  } as const;
  const acts = { method: 'post', authentication, audit: { kind: 'operator.request', action: 'E' } } as const;
  const find: typeof directory.findHealthSystem = (id) => directory.findHealthSystem(id);
  const named = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw error instanceof HealthSystemNameError ? badRequest(error.message) : error;
    });
  const hostsOf = (host: string): Promise<string[]> => named(hostsOfNamed(host, (id) => endpointsOfNamed(find, id)));

  serveKeysStatus(api, { serviceKeys: config.SERVICE_KEYS, keys: keysStatus });

  api.route(
    {
      ...reads,
      path: '/internal/v1/operator/clients/{client_id}/users',
      operationId: 'operatorCountUsers',
      summary: 'How many users a client application has',
      params: z.object({ client_id: clientId }),
      responses: { 200: { description: 'The number.', schema: clientUserCount } },
    },
    async ({ params }) => ({ users: await users.count(params.client_id) }),
  );

  api.route(
    {
      ...reads,
      path: '/internal/v1/operator/registrations',
      operationId: 'operatorListRegistrations',
      summary: 'The registrations of our client at health systems, without their secrets',
      responses: { 200: { description: 'All of them.', schema: registrationList } },
    },
    async () => ({ entry: await registrations.listWithoutSecrets() }),
  );

  api.route(
    {
      ...acts,
      path: '/internal/v1/operator/registration-checks',
      operationId: 'operatorCheckRegistration',
      summary: 'Go through the steps of connecting to a health system without a user',
      isSafe: true,
      body: operatorRegistrationCheck,
      responses: {
        200: {
          description: 'A line of JSON for each step, as it ends.',
          schema: registrationCheckStep,
          contentType: 'application/x-ndjson',
        },
      },
    },
    async ({ body: { health_system: system, release, operator }, response, audit }) => {
      audit({ operator, entities: [{ query: `registration test ${system}` }] });
      const endpoints = await named(endpointsOfNamed(find, system, release));
      response.type('application/x-ndjson');
      for (const endpoint of endpoints)
        for await (const step of checkRegistration(
          { ...dependencies, jwksUrl: `${config.BASE_URL}/connect/jwks.json` },
          endpoint,
        )) {
          if (response.destroyed) return undefined;
          response.write(`${JSON.stringify({ ...endpoint, ...step })}\n`);
        }
      response.end();
      return undefined;
    },
  );

  api.route(
    {
      ...reads,
      path: '/internal/v1/operator/outcomes',
      operationId: 'operatorListOutcomes',
      summary: 'Per health system: connects by result, failed refreshes, collections by result, refused types',
      query: outcomeQuery,
      responses: { 200: { description: 'Those with the most failed connects first.', schema: outcomeList } },
    },
    ({ query }) => listWorstOutcomes(database, Number(query.days)),
  );

  api.route(
    {
      ...reads,
      path: '/internal/v1/operator/paused-hosts',
      operationId: 'operatorListPausedHosts',
      summary: 'The paused hosts, since when and why, and how many collections wait',
      responses: { 200: { description: 'All of them.', schema: pausedHostList } },
    },
    async () => ({ entry: await pausedHosts.list() }),
  );

  api.route(
    {
      ...acts,
      path: '/internal/v1/operator/paused-hosts',
      operationId: 'operatorPauseHost',
      summary: 'Send nothing to a host, or to those of a health system, until it is resumed',
      body: operatorHostPause,
      responses: { 200: { description: 'They are paused.', schema: changedHosts } },
    },
    async ({ body: { host, reason, operator }, audit }) => {
      audit({ operator, entities: [{ query: `health-system pause ${host}` }] });
      const hosts = await hostsOf(host);
      for (const each of hosts) await pausedHosts.pause(each, reason);
      return { hosts };
    },
  );

  api.route(
    {
      ...acts,
      path: '/internal/v1/operator/paused-hosts/resume',
      operationId: 'operatorResumeHost',
      summary: 'Let the collections of a paused host continue at once',
      body: operatorHostResume,
      responses: {
        200: { description: 'Those that were paused.', schema: changedHosts },
        404: { description: 'None of them is paused.', codes: ['not_found'] },
      },
    },
    async ({ body: { host, operator }, audit }) => {
      audit({ operator, entities: [{ query: `health-system resume ${host}` }] });
      const resumed: string[] = [];
      for (const each of await hostsOf(host)) if (await pausedHosts.resume(each)) resumed.push(each);
      if (resumed.length === 0) throw new HttpError('not_found', 'this host is not paused');
      return { hosts: resumed };
    },
  );

  api.route(
    {
      ...reads,
      path: '/internal/v1/operator/queue',
      operationId: 'operatorReadQueue',
      summary: 'What collections wait for',
      responses: { 200: { description: 'The counts of now.', schema: collectionQueueState } },
    },
    async () => ({
      jobs: await collectionQueue.counts().catch((error: unknown) => {
        log.warn({ err: describeError(error) }, 'the collection queue cannot be counted');
        return null;
      }),
      ...(await counts.read()),
    }),
  );
}

import {
  changedHosts,
  directorySourceList,
  hostPause,
  hostResume,
  outcomeList,
  outcomeQuery,
  pausedHostList,
  registrationCheck,
  registrationCheckStep,
  registrationList,
} from '@tributary/contracts';
import { type Api, requestOrigin } from '@tributary/service-kit';
import { answered } from '../../answered';
import { jsonBody, notFound } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { commonOf, noOperator, operatorPath } from './operator-common';
import { sendLines } from './send-lines';

/** The health systems, of which search has the directory, and user-management the registrations. */
export function serveOperatedSystems(api: Api, dependencies: Dependencies): void {
  const { operator: services } = dependencies;
  const { reads, changes, refusals } = commonOf(dependencies);

  api.route(
    {
      ...reads,
      path: operatorPath('registrations'),
      operationId: 'operatorListRegistrations',
      summary: 'The registrations of our client at health systems, without their secrets',
      responses: { 200: { description: 'All of them.', schema: registrationList }, 404: noOperator },
    },
    ({ requestId }) => services.connections.registrations({ requestId }),
  );

  api.route(
    {
      ...reads,
      method: 'post',
      path: operatorPath('registration-checks'),
      operationId: 'operatorCheckRegistration',
      summary: 'Go through the steps of connecting to a health system without a user',
      description: 'About ten requests are sent to the health system. Nothing is stored.',
      audit: { kind: 'operator.request', action: 'E' },
      isSafe: true,
      body: registrationCheck,
      bodyTypes: jsonBody,
      responses: {
        200: {
          description: 'A line of JSON for each step, as it ends.',
          schema: registrationCheckStep,
          contentType: 'application/x-ndjson',
        },
        404: noOperator,
      },
    },
    async ({ principal, body, request, requestId, response, audit }) => {
      const entities = [{ query: `registration test ${body.health_system}` }];
      audit({ entities });
      // Requests are sent to a host that the operator chooses: the log has that before.
      await dependencies.audit.trail.record({
        kind: 'operator.request',
        action: 'E',
        outcome: 'begun',
        requestId,
        agent: principal,
        ...requestOrigin(request, dependencies.audit.trustedProxies),
        entities,
      });
      return sendLines(response, (signal) =>
        services.connections.checkRegistration({ ...body, ...principal }, { requestId, signal }),
      );
    },
  );

  api.route(
    {
      ...reads,
      path: operatorPath('sources'),
      operationId: 'operatorListSources',
      summary: 'The sources of the directory of health systems, and when each was loaded',
      responses: { 200: { description: 'All of them.', schema: directorySourceList }, 404: noOperator },
    },
    ({ requestId }) => services.directory.sources({ requestId }),
  );

  api.route(
    {
      ...reads,
      path: operatorPath('outcomes'),
      operationId: 'operatorListOutcomes',
      summary: 'Per health system: connects by result, failed refreshes, collections by result, refused types',
      query: outcomeQuery,
      responses: {
        200: { description: 'Those with the most failed connects first.', schema: outcomeList },
        404: noOperator,
      },
    },
    ({ query: { days }, requestId }) => services.connections.outcomes(days, { requestId }),
  );

  api.route(
    {
      ...reads,
      path: operatorPath('paused-hosts'),
      operationId: 'operatorListPausedHosts',
      summary: 'The paused hosts, since when and why, and how many collections wait',
      responses: { 200: { description: 'All of them.', schema: pausedHostList }, 404: noOperator },
    },
    ({ requestId }) => services.connections.pausedHosts({ requestId }),
  );

  api.route(
    {
      ...changes,
      method: 'post',
      path: operatorPath('paused-hosts'),
      operationId: 'operatorPauseHost',
      summary: 'Send nothing to a host, or to those of a health system, until it is resumed',
      body: hostPause,
      responses: { 200: { description: 'They are paused.', schema: changedHosts }, ...refusals },
    },
    ({ principal, body, requestId, audit }) => {
      audit({ entities: [{ query: `health-system pause ${body.host}` }] });
      return answered(services.connections.pause({ ...body, ...principal }, { requestId }));
    },
  );

  api.route(
    {
      ...changes,
      method: 'post',
      path: operatorPath('paused-hosts/resume'),
      operationId: 'operatorResumeHost',
      summary: 'Let the collections of a paused host continue at once',
      body: hostResume,
      responses: { 200: { description: 'Those that were paused.', schema: changedHosts }, ...refusals },
    },
    async ({ principal, body, requestId, audit }) => {
      audit({ entities: [{ query: `health-system resume ${body.host}` }] });
      const resumed = await answered(services.connections.resume({ ...body, ...principal }, { requestId }));
      if (!resumed) throw notFound('paused host');
      return resumed;
    },
  );
}

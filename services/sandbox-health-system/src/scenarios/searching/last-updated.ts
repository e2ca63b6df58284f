import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const lastUpdatedIgnored: Scenario = {
  name: 'last-updated-ignored',
  area: 'incremental',
  does: 'Accepts _lastUpdated and ignores it.',
  ignores: ['_lastUpdated'],
};

export const lastUpdatedRefused: Scenario = {
  name: 'last-updated-refused',
  area: 'incremental',
  does: 'Does not declare _lastUpdated, and answers it with 400.',
  capabilities: (document) => ({
    ...document,
    rest: document.rest.map((rest) => ({
      ...rest,
      resource: rest.resource.map((resource) =>
        resource.searchParam
          ? { ...resource, searchParam: resource.searchParam.filter(({ name }) => name !== '_lastUpdated') }
          : resource,
      ),
    })),
  }),
  before: ({ parameters, release }) =>
    parameters.has('_lastUpdated')
      ? problemReply(release, 400, 'not-supported', '_lastUpdated is not supported')
      : undefined,
};

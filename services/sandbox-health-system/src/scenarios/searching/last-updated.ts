import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const lastUpdatedIgnored: Scenario = {
  name: 'last-updated-ignored',
  area: 'incremental',
  does: 'Takes _lastUpdated and pays no heed to it.',
  ignores: ['_lastUpdated'],
};

export const lastUpdatedRefused: Scenario = {
  name: 'last-updated-refused',
  area: 'incremental',
  does: 'Does not announce _lastUpdated, and answers 400 to it.',
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

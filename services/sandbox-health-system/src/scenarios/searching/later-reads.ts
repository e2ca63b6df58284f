import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

const searchOnly = new Set(['Condition', 'Observation']);

export const readsNotFound: Scenario = {
  name: 'reads-not-found',
  area: 'incremental',
  does: 'Answers 404 to every read of a Condition or an Observation; searches return them.',
  before: ({ interaction, type, release }) =>
    interaction === 'read' && searchOnly.has(type)
      ? problemReply(release, 404, 'not-found', 'this type can only be searched')
      : undefined,
};

export const deletedGone: Scenario = {
  name: 'deleted-gone',
  area: 'incremental',
  does: 'Answers 410 to the read of a resource that was deleted, and not 404.',
  remembersDeletions: true,
};

export const conditionalReads: Scenario = {
  name: 'conditional-reads',
  area: 'incremental',
  does: 'Declares conditionalRead, and answers 304 to a read of what was not modified since If-Modified-Since.',
  capabilities: (document) => ({
    ...document,
    rest: document.rest.map((rest) => ({
      ...rest,
      resource: rest.resource.map((resource) => ({ ...resource, conditionalRead: 'modified-since' })),
    })),
  }),
  reply: (reply, { modifiedSince }) => {
    const modified = Date.parse(reply.headers['Last-Modified'] ?? '');
    return modifiedSince !== undefined && modified <= modifiedSince ? { ...reply, status: 304, body: '' } : reply;
  },
};

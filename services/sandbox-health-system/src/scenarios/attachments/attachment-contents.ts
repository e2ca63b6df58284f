import { isFhirWanted } from '../../fhir/binary';
import { fhirContentType, problemReply } from '../../fhir/operation-outcome';
import type { FhirExchange, Reply, Scenario } from '../scenario';

const megabyte = 1024 * 1024;

/** Content as a Binary resource, or in its own media type when the client does not accept FHIR. */
function binary({ accept, parameters, release, id = '' }: FhirExchange, content: Buffer): Reply {
  if (!isFhirWanted(accept, parameters))
    return { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: content };
  const data = { [release === 'r4' ? 'data' : 'content']: content.toString('base64') };
  return {
    status: 200,
    headers: { 'Content-Type': fhirContentType(release) },
    body: JSON.stringify({ resourceType: 'Binary', id, contentType: 'text/plain; charset=utf-8', ...data }),
  };
}

export const attachmentsHuge: Scenario = {
  name: 'attachments-huge',
  area: 'Binary / attachments',
  does: 'Serves 30 MB for every attachment.',
  before: (exchange) =>
    exchange.type === 'Binary'
      ? binary(exchange, Buffer.alloc(30 * megabyte, 'a pretend page of a pretend scan\n'))
      : undefined,
};

export const attachmentsRegenerated: Scenario = {
  name: 'attachments-regenerated',
  area: 'Binary / attachments',
  does: 'Generates each attachment on every read, so that no two reads return the same bytes.',
  before: (exchange) =>
    exchange.type === 'Binary'
      ? binary(exchange, Buffer.from(`Printed for the ${exchange.counters.count('printed')}. time\n`))
      : undefined,
};

export const attachmentsGone: Scenario = {
  name: 'attachments-gone',
  area: 'Binary / attachments',
  does: 'Answers 404 to every attachment.',
  before: ({ type, release }) =>
    type === 'Binary' ? problemReply(release, 404, 'not-found', 'the document was archived') : undefined,
};

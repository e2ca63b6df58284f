import type { FhirExchange, Scenario } from '../scenario';
import { withText } from '../rewrite';

const attachment = /("url"\s*:\s*")Binary\/([^"]+)"/g;

/** A scenario that rewrites the URLs of attachments. */
function addressing(name: string, does: string, write: (id: string, exchange: FhirExchange) => string): Scenario {
  return {
    name,
    area: 'Binary / attachments',
    does,
    reply: (reply, exchange) =>
      withText(reply, (text) =>
        text.replace(attachment, (_whole, before: string, id: string) => `${before}${write(id, exchange)}"`),
      ),
  };
}

export const attachmentsAbsolute = addressing(
  'attachments-absolute',
  'Writes the addresses of attachments out under its FHIR base.',
  (id, { base }) => `${base}/Binary/${id}`,
);

export const attachmentsElsewhere = addressing(
  'attachments-elsewhere',
  'Has its attachments at another origin, to which no token may be sent.',
  (id, { elsewhere, grant }) => `${elsewhere}/${encodeURIComponent(grant.username)}/files/${id}`,
);

export const attachmentsInward = addressing(
  'attachments-inward',
  'Has attachments at an address of the inner network.',
  (id) => `http://169.254.169.254/latest/meta-data/${id}`,
);

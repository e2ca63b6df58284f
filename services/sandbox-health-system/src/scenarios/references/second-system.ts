import { withEntryTexts, withMember } from '../rewrite';
import type { Scenario } from '../scenario';

const mark = '"language":"en-GB"';

export const secondSystem: Scenario = {
  name: 'second-system',
  area: 'same ids at two systems',
  does: 'Has the same ids as the plain server and other content: each resource says language en-GB.',
  page: (page) => ({ ...page, entries: withEntryTexts(page.entries, (text) => withMember(text, mark)) }),
  reply: (reply, { interaction }) =>
    interaction === 'read' && typeof reply.body === 'string' ? { ...reply, body: withMember(reply.body, mark) } : reply,
};

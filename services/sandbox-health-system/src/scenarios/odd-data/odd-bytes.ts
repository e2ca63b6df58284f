import type { Scenario } from '../scenario';
import { withText } from '../rewrite';

export const byteOrderMark: Scenario = {
  name: 'byte-order-mark',
  area: 'odd data',
  does: 'Begins every answer with a byte order mark.',
  reply: (reply) => withText(reply, (text) => `\uFEFF${text}`),
};

export const badUtf8: Scenario = {
  name: 'bad-utf8',
  area: 'odd data',
  does: 'Writes a byte into the first display of an answer that is not UTF-8.',
  reply: (reply) => {
    if (typeof reply.body !== 'string') return reply;
    const at = reply.body.indexOf('"display":"');
    if (at < 0) return reply;
    const cut = at + '"display":"'.length;
    return {
      ...reply,
      body: Buffer.concat([
        Buffer.from(reply.body.slice(0, cut)),
        Buffer.from([0xe9]),
        Buffer.from(reply.body.slice(cut)),
      ]),
    };
  },
};

import type { Scenario } from '../scenario';
import { withText } from '../rewrite';

export const byteOrderMark: Scenario = {
  name: 'byte-order-mark',
  area: 'odd data',
  does: 'Starts every response with a byte order mark.',
  reply: (reply) => withText(reply, (text) => `\uFEFF${text}`),
};

export const badUtf8: Scenario = {
  name: 'bad-utf8',
  area: 'odd data',
  does: 'Inserts a byte that is not valid UTF-8 into the first display of a response.',
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

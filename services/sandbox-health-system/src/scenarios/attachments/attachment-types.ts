import type { Scenario } from '../scenario';
import { withText } from '../rewrite';

const contentType = /"contentType"\s*:\s*"text\/plain; charset=utf-8",?/g;

export const attachmentsUntyped: Scenario = {
  name: 'attachments-untyped',
  area: 'Binary / attachments',
  does: 'Has attachments without a content type; Binary is served as application/octet-stream.',
  reply: (reply, { type, interaction }) => {
    if (type === 'DocumentReference') return withText(reply, (text) => text.replace(contentType, ''));
    return type === 'Binary' && interaction === 'read' && typeof reply.body !== 'string'
      ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'application/octet-stream' } }
      : reply;
  },
};

export const attachmentsMistyped: Scenario = {
  name: 'attachments-mistyped',
  area: 'Binary / attachments',
  does: 'Declares its attachments as PDF; they are text.',
  reply: (reply, { type }) => {
    if (type === 'DocumentReference')
      return withText(reply, (text) => text.replace(contentType, '"contentType":"application/pdf",'));
    return type === 'Binary' && typeof reply.body !== 'string'
      ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'application/pdf' } }
      : reply;
  },
};

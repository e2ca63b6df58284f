import { mediaTypes } from '../../releases';
import type { Scenario } from '../scenario';

export const acceptStrict: Scenario = {
  name: 'accept-strict',
  area: 'Accept header',
  does: 'Answers 406, in plain text, to requests that do not accept the exact media type of the release.',
  before: ({ accept, release, type }) => {
    const accepted = accept.split(',').map((part) => part.split(';')[0]!.trim());
    if (type === 'Binary' || accepted.includes(mediaTypes[release])) return undefined;
    return {
      status: 406,
      headers: { 'Content-Type': 'text/plain' },
      body: `Not acceptable. Try ${mediaTypes[release]}.`,
    };
  },
};

import { rewritingNext } from './next-link';

export const nextForeign = rewritingNext(
  'next-foreign',
  'Gives next links to another origin, to which no token may be sent.',
  (url, { elsewhere, grant }) => `${elsewhere}/${encodeURIComponent(grant.username)}/pages${new URL(url).search}`,
);

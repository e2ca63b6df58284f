import { withNextLink } from './next-link';

export const nextForeign = withNextLink(
  'next-foreign',
  'Gives next links to another origin, to which no token may be sent.',
  (url, { elsewhere, grant }) => `${elsewhere}/${encodeURIComponent(grant.username)}/pages${new URL(url).search}`,
);

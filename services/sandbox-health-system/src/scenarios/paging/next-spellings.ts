import { withNextLink } from './next-link';

export const nextRelative = withNextLink(
  'next-relative',
  'Gives next links relative to the FHIR base’s folder: r4?_getpages=…',
  (url, { release }) => `../${release}${new URL(url).search}`,
);

export const nextPathOnly = withNextLink(
  'next-path-only',
  'Gives next links that begin with the path: /fhir/r4?…',
  (url) => url.slice(new URL(url).origin.length),
);

export const nextSchemeless = withNextLink(
  'next-schemeless',
  'Gives next links without a scheme: //host/fhir/r4?…',
  (url) => url.replace(/^https?:/, ''),
);

export const nextDoublePort = withNextLink(
  'next-double-port',
  'Writes the port twice into next links: host:4004:4004.',
  (url) => {
    const { host, port, protocol } = new URL(url);
    const written = port || (protocol === 'https:' ? '443' : '80');
    const name = port ? host : `${host}:${written}`;
    return url.replace(host, `${name}:${written}`);
  },
);

export const nextInternalHost = withNextLink(
  'next-internal-host',
  'Gives next links with the name that the server has behind its proxy.',
  (url) => url.replace(new URL(url).origin, 'http://fhir-backend.internal:8080'),
);

export const nextLong = withNextLink(
  'next-long',
  'Gives next links of more than 2 KB.',
  (url) => `${url}&session=${'0123456789abcdef'.repeat(160)}`,
);

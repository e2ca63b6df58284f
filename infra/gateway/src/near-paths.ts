/** A path of {base_url} without a route that a client takes for another one, and what it is told. */
interface NearPath {
  /** A regular expression of the path, in upper or lower case; JavaScript and PCRE read it alike. */
  path: string;
  hint: string;
}

const releases = 'the releases are /dstu2, /stu3 and /r4';
const authorizationServer =
  'it is at the base URL of the authorization server, which /r4/.well-known/smart-configuration names';

/** The first that matches applies. The hints are constant: nothing that a client has sent is in them. */
export const nearPaths: readonly NearPath[] = [
  ...['dstu2', 'stu3', 'r4', 'user-management', 'connect', 'console', 'docs', 'audit', 'mcp'].map((name) => ({
    path: `^/${name}(/|$)`,
    hint: `did you mean /${name}? Paths are case-sensitive`,
  })),
  { path: '^/(dstu|stu|r)[0-9]+b?(/|$)', hint: releases },
  { path: '^/(fhir|metadata|Patient|Observation|Condition)(/|$)', hint: `FHIR is below a release: ${releases}` },
  { path: '^/oauth2/token/?$', hint: `the token endpoint is {auth_url}/oauth2/token: ${authorizationServer}` },
  { path: '^/oauth2(/|$)', hint: `{auth_url}/oauth2 is meant: ${authorizationServer}` },
  {
    path: '^/api/search/?$',
    hint: 'the search of health systems is {search_url}/api/search, at a base URL of its own',
  },
  { path: '^/bulk-data(/|$)', hint: 'exports are {analytics_url}/bulk-data/r4/$export, at a base URL of its own' },
];

/** The hint for a path of {base_url} without a route. */
export function hintFor(path: string): string | undefined {
  return nearPaths.find((near) => new RegExp(near.path, 'i').test(path))?.hint;
}

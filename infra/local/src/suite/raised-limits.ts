const names = [
  'audit-client',
  'audit-user',
  'connect-address',
  'connect-user',
  'connections-client',
  'connections-user',
  'download',
  'export',
  'export-status',
  'failed-address',
  'failed-client',
  'failed-pair',
  'failed-tokens',
  'fhir-client',
  'fhir-user',
  'mcp-user',
  'refresh-client',
  'refresh-connection',
  'search-client',
  'search-user',
  'tokens-address',
  'tokens-client',
  'webhook-test',
];

/**
 * Rate limits that no test reaches, for suites whose requests come from one address with few clients and users. The
 * limits still count every request.
 */
export const raisedLimits: Readonly<Record<string, string>> = {
  RATE_LIMIT_PER_HOUR: '100000000',
  LIMIT_FHIR_CONCURRENT: '100000',
  RATE_LIMITS: names.map((name) => `${name}=100000000/60`).join(),
};

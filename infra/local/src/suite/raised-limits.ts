const names = [
  'LIMIT_AUDIT_CLIENT',
  'LIMIT_AUDIT_USER',
  'LIMIT_CONNECT_ADDRESS',
  'LIMIT_CONNECT_USER',
  'LIMIT_CONNECTIONS_CLIENT',
  'LIMIT_CONNECTIONS_USER',
  'LIMIT_DOWNLOAD',
  'LIMIT_EXPORT',
  'LIMIT_EXPORT_STATUS',
  'LIMIT_FAILED_ADDRESS',
  'LIMIT_FAILED_CLIENT',
  'LIMIT_FAILED_PAIR',
  'LIMIT_FAILED_TOKENS',
  'LIMIT_FHIR_CLIENT',
  'LIMIT_FHIR_USER',
  'LIMIT_MCP_USER',
  'LIMIT_REFRESH_CLIENT',
  'LIMIT_REFRESH_CONNECTION',
  'LIMIT_SEARCH_CLIENT',
  'LIMIT_SEARCH_USER',
  'LIMIT_TOKENS_ADDRESS',
  'LIMIT_TOKENS_CLIENT',
  'LIMIT_WEBHOOK_TEST',
];

/**
 * Rate limits that no test reaches, for suites whose requests come from one address with few clients and users. The
 * limits still count every request.
 */
export const raisedLimits: Readonly<Record<string, string>> = {
  RATE_LIMIT_PER_HOUR: '100000000',
  LIMIT_FHIR_CONCURRENT: '100000',
  ...Object.fromEntries(names.map((name) => [name, '100000000/60'])),
};

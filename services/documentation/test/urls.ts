/** The public addresses of a suite. */
export const urls = {
  base_url: 'https://api.example.org',
  auth_url: 'https://auth.example.org',
  search_url: 'https://search.example.org',
  analytics_url: 'https://analytics.example.org',
};

/** What an OpenAPI document says of a route. */
interface Operation {
  security?: object[];
  responses: Record<string, { headers?: Record<string, unknown> }>;
}

/** The parts of an OpenAPI document that name the routes. */
interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
}

/**
 * The routes of an OpenAPI document that need credentials, as `get /path`: those whose response to too many requests
 * states the limit, and the others.
 */
export function routesByLimit({ paths }: ApiDocument): { limited: string[]; unlimited: string[] } {
  const limited: string[] = [];
  const unlimited: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { security = [], responses }] of Object.entries(methods))
      if (security.length > 0)
        (responses['429']?.headers?.['RateLimit'] ? limited : unlimited).push(`${method} ${path}`);
  return { limited, unlimited };
}

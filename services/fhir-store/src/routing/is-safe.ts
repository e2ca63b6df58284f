/**
 * Whether a request changes nothing: reads, searches, and the operations of this service without `$meta-add` and
 * `$meta-delete`.
 * @param path without a query
 */
export function isSafe(method: string, path: string): boolean {
  return method === 'GET' || method === 'HEAD' || /(?:^|\/)(?:_search|\$(?!meta-)[\w-]+)$/.test(path);
}

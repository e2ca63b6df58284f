/** What the connect pages tell the window that has opened or framed them (`window.postMessage`). */
export type ConnectMessage =
  /** A page is shown. */
  | { tributary: 'opened' }
  /** The connections that were made on the pages so far. */
  | { tributary: 'connected'; connection_ids: string[]; health_system_ids: number[] }
  /** While something is collected: resources, and resource types that have ended and that are planned. */
  | { tributary: 'progress'; collected: number; types_done: number; types_total: number }
  /** A sign-in at a health system ended without a connection; the user can try again. */
  | { tributary: 'failed'; error: string }
  /** The user has left the pages. */
  | { tributary: 'closed' };

/** What the page at the redirect_uri tells the other windows of its origin: of the pages with this state. */
export type FinishedMessage = Extract<ConnectMessage, { tributary: 'connected' | 'closed' }> & { state: string | null };

export function isConnectMessage(data: unknown): data is ConnectMessage {
  return typeof data === 'object' && data !== null && typeof (data as Partial<ConnectMessage>).tributary === 'string';
}

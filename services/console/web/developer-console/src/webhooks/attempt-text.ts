/** How an attempt to deliver an event ended, such as "status 200". */
export function attemptText({ status, reason }: { status?: number | undefined; reason?: string | undefined }): string {
  return status === undefined ? (reason ?? 'no response') : `status ${status}`;
}

import { forEachConcurrently } from '@tributary/service-kit';

/**
 * Calls `work` for each address, at most `overall` at a time and `perHost` at one host. The hosts with most addresses
 * begin first, because they take longest. After a failure no further work begins, and those in progress end.
 * @throws the first error of `work`
 */
export async function forEachByHost(
  addresses: string[],
  { overall, perHost }: { overall: number; perHost: number },
  work: (address: string, host: string) => Promise<void>,
): Promise<void> {
  const byHost = new Map<string, string[]>();
  for (const address of addresses) {
    const { hostname } = new URL(address);
    const queue = byHost.get(hostname);
    if (queue) queue.push(address);
    else byHost.set(hostname, [address]);
  }
  /** A lane is one request at a time at one host; a host has up to `perHost` of them, which share its queue. */
  const lanes = [...byHost]
    .sort(([, one], [, other]) => other.length - one.length)
    .flatMap(([host, queue]) => Array.from({ length: Math.min(perHost, queue.length) }, () => ({ host, queue })));
  await forEachConcurrently(lanes, overall, async ({ host, queue }) => {
    try {
      for (let address = queue.shift(); address !== undefined; address = queue.shift()) await work(address, host);
    } catch (error) {
      for (const lane of lanes) lane.queue.length = 0;
      throw error;
    }
  });
}

/** The servers of a Redis URL, and who connects to them. */
export interface RedisAddress {
  servers: readonly { host: string; port: number }[];
  isEncrypted: boolean;
  username: string | undefined;
  password: string | undefined;
  /** The number of the database. */
  database: number;
}

/** Whether the URL names one server or several, separated by commas. */
export function isRedisUrl(url: string): boolean {
  return urlsOf(url).every((one) => URL.canParse(one) && new URL(one).hostname !== '');
}

/**
 * @param url as a URL with one server, or with several that commas separate: `redis://user@one:6379,two:6379`
 * @param defaultPort of servers without a port
 * @throws TypeError when it is no such URL
 */
export function readRedisUrl(url: string, defaultPort: number): RedisAddress {
  const urls = urlsOf(url).map((one) => new URL(one));
  const { protocol, username, password, pathname } = urls[0]!;
  return {
    servers: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? defaultPort : Number(port),
    })),
    isEncrypted: protocol === 'rediss:',
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    database: Number(pathname.slice(1)),
  };
}

/** A URL for each server. */
export function urlsOf(url: string): string[] {
  const [, start = '', servers = url, end = ''] = /^(rediss?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/i.exec(url) ?? [];
  return servers.split(',').map((server) => `${start}${server}${end}`);
}

import { isRedisUrl, readRedisUrl } from './redis-address';

describe('a URL of Redis', () => {
  it.each([
    ['redis://localhost', [{ host: 'localhost', port: 6379 }]],
    ['redis://[::1]:7000/', [{ host: '::1', port: 7000 }]],
    [
      'redis://one:7000,two,[::1]:7002',
      [
        { host: 'one', port: 7000 },
        { host: 'two', port: 6379 },
        { host: '::1', port: 7002 },
      ],
    ],
  ])('has one or several servers: %s', (url, servers) => {
    expect(readRedisUrl(url, 6379)).toEqual({
      servers,
      isEncrypted: false,
      username: undefined,
      password: undefined,
      database: 0,
    });
  });

  it('has a user, a password and a database', () => {
    expect(readRedisUrl('rediss://me:one%2Ctwo%40@one,two/3', 6379)).toMatchObject({
      servers: [{ host: 'one' }, { host: 'two' }],
      isEncrypted: true,
      username: 'me',
      password: 'one,two@',
      database: 3,
    });
  });

  it.each(['redis://', 'redis://one,,two', 'redis://one:99999', 'redis://one:a,two'])('is refused: %s', (url) => {
    expect(isRedisUrl(url)).toBe(false);
  });
});

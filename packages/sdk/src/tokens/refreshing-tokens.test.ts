import { ApiError, NetworkError } from '../http/errors.ts';
import { RefreshingTokens } from './refreshing-tokens.ts';
import { type TokenSet, type TokenStore, memoryTokenStore } from './token-store.ts';

const hour = 3_600_000;
const expired = (): TokenSet => ({ access_token: 'access-0', refresh_token: 'refresh-0', expires_at: Date.now() - 1 });
const refusal = new ApiError('refused', {
  method: 'POST',
  path: '/oauth2/token',
  status: 400,
  code: 'invalid_grant',
  requestId: undefined,
  retryAfterMs: undefined,
  outcome: undefined,
});

/** A token service with the rule of rotation: each refresh token is exchanged once. */
class Rotation {
  requests = 0;
  #valid = 'refresh-0';
  readonly refresh = async (refreshToken: string): Promise<TokenSet> => {
    this.requests++;
    await new Promise(setImmediate);
    if (refreshToken !== this.#valid) throw refusal;
    const n = Number(refreshToken.split('-')[1]) + 1;
    this.#valid = `refresh-${n}`;
    return { access_token: `access-${n}`, refresh_token: this.#valid, expires_at: Date.now() + hour };
  };
}

describe('tokens that refresh themselves', () => {
  it('are used as they are while they are valid', async () => {
    const rotation = new Rotation();
    const store = memoryTokenStore({ ...expired(), expires_at: Date.now() + hour });
    expect(await new RefreshingTokens(store, rotation).accessToken()).toBe('access-0');
    expect(rotation.requests).toBe(0);
  });

  it('are refreshed once for concurrent calls of several processes', async () => {
    const rotation = new Rotation();
    const store = memoryTokenStore(expired());
    const processes = Array.from({ length: 5 }, () => new RefreshingTokens(store, rotation));
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, index) => processes[index % processes.length]!.accessToken()),
    );
    expect(new Set(tokens)).toEqual(new Set(['access-1']));
    expect(rotation.requests).toBe(1);
  });

  it('are refreshed when the service refuses them, and once for all calls that were refused', async () => {
    const rotation = new Rotation();
    const tokens = new RefreshingTokens(memoryTokenStore({ ...expired(), expires_at: Date.now() + hour }), rotation);
    const calls = Array.from({ length: 10 }, () => tokens.accessToken({ refused: 'access-0' }));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['access-1']));
    expect(await tokens.accessToken({ refused: 'access-0' })).toBe('access-1');
    expect(rotation.requests).toBe(1);
  });

  it('are refreshed by another process after one was killed during its refresh', async () => {
    const rotation = new Rotation();
    const store = memoryTokenStore(expired());
    const killed = new RefreshingTokens(store, { refresh: () => new Promise(() => undefined) });
    void killed.accessToken();
    const other = new RefreshingTokens(store, { ...rotation, leaseMs: 300 });
    expect(await other.accessToken()).toBe('access-1');
  });

  it('are refreshed although the clock of a killed process was ahead', async () => {
    const rotation = new Rotation();
    const store = memoryTokenStore(expired());
    const stored = await store.load();
    await store.compareAndSet(stored.version, { ...stored, version: 'ahead', refresh_started_at: Date.now() + hour });
    expect(await new RefreshingTokens(store, { ...rotation, leaseMs: 300 }).accessToken()).toBe('access-1');
  });

  it('stay in use until they expire while another process refreshes them', async () => {
    const store = memoryTokenStore({ ...expired(), expires_at: Date.now() + 30_000 });
    void new RefreshingTokens(store, { refresh: () => new Promise(() => undefined) }).accessToken();
    expect(await new RefreshingTokens(store, new Rotation()).accessToken()).toBe('access-0');
  });

  it.each([
    ['got no response', new NetworkError('no response')],
    ['was refused', refusal],
  ])('stay in use until they expire when a refresh %s', async (_outcome, error) => {
    const refresh = async (): Promise<TokenSet> => Promise.reject(error);
    const valid = { ...expired(), expires_at: Date.now() + hour };
    const tokens = new RefreshingTokens(memoryTokenStore(valid), { refresh, refreshBeforeMs: 2 * hour });
    const [used, refused] = await Promise.allSettled([
      tokens.accessToken(),
      tokens.accessToken({ refused: 'access-0' }),
    ]);
    expect(used).toEqual({ status: 'fulfilled', value: 'access-0' });
    expect(refused).toEqual({ status: 'rejected', reason: error });
    await expect(new RefreshingTokens(memoryTokenStore(expired()), { refresh }).accessToken()).rejects.toBe(error);
  });

  it('can be refreshed again at once by the process whose request got no response', async () => {
    const rotation = new Rotation();
    let requests = 0;
    const tokens = new RefreshingTokens(memoryTokenStore(expired()), {
      refresh: async (token) => {
        if (++requests === 1) throw new NetworkError('no response');
        return rotation.refresh(token);
      },
    });
    await expect(tokens.accessToken()).rejects.toThrow(NetworkError);
    expect(await tokens.accessToken()).toBe('access-1');
  });

  it('yield the tokens of the process that took over from a stopped one', async () => {
    const store = memoryTokenStore(expired());
    let resume = (): void => undefined;
    const stopped = new RefreshingTokens(store, {
      leaseMs: 300,
      refresh: async () => {
        await new Promise<void>((resolve) => (resume = resolve));
        return { access_token: 'withdrawn', refresh_token: 'withdrawn', expires_at: Date.now() + hour };
      },
    });
    const late = stopped.accessToken();
    const other = new RefreshingTokens(store, { refresh: new Rotation().refresh, leaseMs: 300 });
    expect(await other.accessToken()).toBe('access-1');
    resume();
    expect(await late).toBe('access-1');
  });

  it('are renewed when the refresh token is no longer accepted', async () => {
    const renewed = { access_token: 'renewed', refresh_token: 'refresh-9', expires_at: Date.now() + hour };
    const store: TokenStore = memoryTokenStore({ ...expired(), refresh_token: 'revoked' });
    const { refresh } = new Rotation();
    await expect(new RefreshingTokens(store, { refresh }).accessToken()).rejects.toBe(refusal);
    expect(await new RefreshingTokens(store, { refresh, renew: async () => renewed }).accessToken()).toBe('renewed');
  });

  it('let one caller leave without an effect on the others', async () => {
    const tokens = new RefreshingTokens(memoryTokenStore(expired()), new Rotation());
    const controller = new AbortController();
    const leaving = tokens.accessToken({ signal: controller.signal });
    const staying = tokens.accessToken();
    controller.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    expect(await staying).toBe('access-1');
  });
});

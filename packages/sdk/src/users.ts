import type { ChangedUser, UserEntry, UserList, UserWithCode } from './api-types.ts';
import type { CallOptions, Http, HttpRequest } from './http/http.ts';

/** Identifies a user by the id of the service or by that of the client application. */
export type UserSelection = { service_user_id: number } | { app_user_id: string };

/**
 * The users of a client application. 300 calls per hour are allowed; more get 429 with the code `too_many_requests`.
 */
export class Users {
  readonly #http: Http;
  readonly #url: string;

  constructor(http: Http, baseUrl: string) {
    this.#http = http;
    this.#url = `${baseUrl}/user-management/v1/user`;
  }

  /**
   * Creates a user, with a code for `tokens.exchange`.
   * @param app_user_id identifies the user in the client application: 1 to 255 characters
   * @throws ApiError `user_already_exists`, also when an earlier attempt created the user and its response was lost
   */
  create(app_user_id: string, options?: CallOptions): Promise<UserWithCode> {
    return this.#http.json(this.#form('POST', this.#url, { app_user_id }), options);
  }

  /**
   * A new code of an existing user.
   * @param user the `app_user_id`, or one of both ids by name: webhooks carry the `service_user_id`
   * @throws ApiError `user_not_found`, `user_inactive`
   */
  newCode(user: string | UserSelection, options?: CallOptions): Promise<UserWithCode> {
    const selection: UserSelection = typeof user === 'string' ? { app_user_id: user } : user;
    return this.#http.json(
      { ...this.#form('POST', `${this.#url}/auth-code`, { ...selection }), isIdempotent: true },
      options,
    );
  }

  /**
   * The user, with a code; creates the user when there is none. Concurrent calls and repetitions return the same user.
   */
  async findOrCreate(app_user_id: string, options?: CallOptions): Promise<UserWithCode> {
    try {
      return await this.newCode(app_user_id, options);
    } catch (error) {
      if (!isCode(error, 'user_not_found')) throw error;
    }
    try {
      return await this.create(app_user_id, options);
    } catch (error) {
      // A concurrent call has created the user.
      if (!isCode(error, 'user_already_exists')) throw error;
      return this.newCode(app_user_id, options);
    }
  }

  /** @returns undefined when the client has no such user */
  async find(selection: UserSelection, options?: CallOptions): Promise<UserEntry | undefined> {
    return (await this.page(selection, options)).entry[0];
  }

  /** One page of users, by ascending `service_user_id`. `limit` is 20 by default, at most 100. */
  page(
    parameters: Partial<{ offset: number; limit: number; service_user_id: number; app_user_id: string }> = {},
    options?: CallOptions,
  ): Promise<UserList> {
    const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
    return this.#http.json({ method: 'GET', url: `${this.#url}?${query}` }, options);
  }

  /** All users, in pages of 100. */
  async *list(options?: CallOptions): AsyncGenerator<UserEntry, void, undefined> {
    for (let offset = 0; ;) {
      const { entry, total } = await this.page({ offset, limit: 100 }, options);
      yield* entry;
      offset += entry.length;
      if (entry.length === 0 || offset >= total) return;
    }
  }

  /**
   * Changes the `app_user_id`, or deactivates or reactivates the user.
   * @throws ApiError `user_not_found`, `user_already_exists`
   */
  update(
    service_user_id: number,
    change: { app_user_id?: string; active?: boolean },
    options?: CallOptions,
  ): Promise<ChangedUser> {
    return this.#http.json(this.#form('PUT', this.#url, { service_user_id, ...change }), options);
  }

  /** Deletes the user, and destroys the record for good. @throws ApiError `user_not_found` */
  async delete(service_user_id: number, options?: CallOptions): Promise<void> {
    await this.#http.send(this.#form('DELETE', this.#url, { service_user_id }), options);
  }

  #form(method: HttpRequest['method'], url: string, fields: Record<string, string | number | boolean>): HttpRequest {
    return {
      method,
      url,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    };
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

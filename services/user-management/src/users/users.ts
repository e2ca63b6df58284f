import type { UserEntry } from '@tributary/contracts';
import { type DataSource, type FindOptionsWhere, In, Not, type Repository } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { isUniqueViolation } from '../database/constraint-violation';
import type { AppUserIds } from './app-user-ids';
import { type User, type UserState, isShownActive, userEntity } from './user';
import { userAlreadyExists } from './user-errors';

export interface UserSelection {
  serviceUserId?: number | undefined;
  appUserId?: string | undefined;
}

/** The users of all clients. Each look-up names the client: a user of another client is unknown. */
export class Users {
  readonly #users: Repository<User>;

  constructor(
    private readonly source: DataSource,
    private readonly appUserIds: AppUserIds,
  ) {
    this.#users = source.getRepository(userEntity);
  }

  /** The next service_user_id; one that is not used after all is lost, never given twice. */
  async nextId(): Promise<number> {
    const [row] = (await this.source.query(`SELECT nextval('service_user_id') AS id`)) as { id: string }[];
    return Number(row?.id);
  }

  /** @throws HttpError 409 when the client has a user of that app_user_id */
  async insert(clientId: string, serviceUserId: number, appUserId: string): Promise<void> {
    const sealed = await this.#sealed(clientId, serviceUserId, appUserId);
    await refuseTaken(() => this.#users.insert({ serviceUserId, clientId, state: 'active', ...sealed }));
  }

  /** The user, unless unknown or being deleted. */
  async find(clientId: string, selection: UserSelection): Promise<User | undefined> {
    return (await this.#users.findOneBy(await this.#where(clientId, selection))) ?? undefined;
  }

  /** The same, also when being deleted, so that a deletion can be repeated. */
  async findEvenDeleting(clientId: string, serviceUserId: number): Promise<User | undefined> {
    return (await this.#users.findOneBy({ clientId, serviceUserId })) ?? undefined;
  }

  /** Ascending by id. The rows that the offset skips are read in the index only. */
  async list(
    clientId: string,
    selection: UserSelection,
    offset: number,
    limit: number,
  ): Promise<{ total: number; users: User[] }> {
    if (selection.serviceUserId !== undefined || selection.appUserId !== undefined) {
      const found = await this.find(clientId, selection);
      return { total: found ? 1 : 0, users: found && offset === 0 ? [found] : [] };
    }
    const [count] = (await this.source.query('SELECT users FROM client_user_count WHERE client_id = $1', [
      clientId,
    ])) as { users: string }[];
    const page = (await this.source.query(
      `SELECT service_user_id FROM service_user WHERE client_id = $1 AND state <> 'deleting' ORDER BY service_user_id OFFSET $2 LIMIT $3`,
      [clientId, offset, limit],
    )) as {
      service_user_id: string;
    }[];
    const ids = page.map(({ service_user_id }) => Number(service_user_id));
    return {
      total: Number(count?.users ?? 0),
      users: await this.#users.find({
        where: { serviceUserId: In(ids), state: Not('deleting') },
        order: { serviceUserId: 'ASC' },
      }),
    };
  }

  /**
   * Changes what is given, in one step; to be inactive begins the deactivation only.
   * @returns whether the user was there to be changed
   * @throws HttpError 409 when another user has the app_user_id
   */
  async update(
    clientId: string,
    serviceUserId: number,
    change: { appUserId?: string | undefined; active?: boolean | undefined },
  ): Promise<boolean> {
    const sealed = change.appUserId === undefined ? {} : await this.#sealed(clientId, serviceUserId, change.appUserId);
    const state = change.active === undefined ? {} : { state: change.active ? ('active' as const) : deactivation };
    const result = await refuseTaken(() =>
      this.#users.update(
        { clientId, serviceUserId, state: Not('deleting') },
        { ...sealed, ...state, ...anotherChange() },
      ),
    );
    return result.affected === 1;
  }

  /** Moves the user on when still in the state that the step began in, and not changed since. */
  async moveOn(
    { serviceUserId, changeNumber }: Pick<User, 'serviceUserId' | 'changeNumber'>,
    from: UserState,
    to: UserState,
  ): Promise<void> {
    await this.#users.update({ serviceUserId, changeNumber, state: from }, { state: to });
  }

  /** Hides the user for good and forgets the app_user_id, which is free again at once. */
  async beginDeletion(serviceUserId: number): Promise<void> {
    await this.#users.update(
      { serviceUserId },
      { state: 'deleting', appUserIdSealed: null, appUserIdBlind: null, ...anotherChange() },
    );
  }

  async remove(serviceUserId: number): Promise<void> {
    await this.#users.delete({ serviceUserId, state: 'deleting' });
  }

  /**
   * Users whose deactivation or deletion began a minute ago or earlier and has not finished. Who takes one has it for two minutes at least;
   * each time that it is not finished the next follows after twice the time, up to an hour. Several replicas share them out.
   */
  async takeUnfinished(atMost: number): Promise<User[]> {
    const taken = await changedRows<{ service_user_id: string }>(
      this.source,
      `UPDATE service_user SET change_attempts = change_attempts + 1,
         change_retry_at = now() + least(150 * 2 ^ least(change_attempts, 10), 3600) * (0.8 + 0.4 * random()) * interval '1 second'
       WHERE service_user_id IN (
         SELECT service_user_id FROM service_user
         WHERE state IN ('deactivating', 'deleting') AND changed_at < now() - interval '1 minute' AND (change_retry_at IS NULL OR change_retry_at <= now())
         ORDER BY change_retry_at NULLS FIRST LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING service_user_id`,
      [atMost],
    );
    return this.#users.findBy({ serviceUserId: In(taken.map(({ service_user_id }) => Number(service_user_id))) });
  }

  /** The user as the API shows them. */
  async entry(user: User): Promise<UserEntry> {
    const { clientId, serviceUserId, appUserIdSealed, state } = user;
    if (!appUserIdSealed) throw new Error('a user being deleted cannot be shown');
    return {
      service_user_id: serviceUserId,
      app_user_id: await this.appUserIds.open(clientId, serviceUserId, appUserIdSealed),
      active: isShownActive(state),
    };
  }

  async #sealed(
    clientId: string,
    serviceUserId: number,
    appUserId: string,
  ): Promise<Pick<User, 'appUserIdSealed' | 'appUserIdBlind'>> {
    return {
      appUserIdSealed: await this.appUserIds.seal(clientId, serviceUserId, appUserId),
      appUserIdBlind: await this.appUserIds.blind(clientId, appUserId),
    };
  }

  async #where(clientId: string, { serviceUserId, appUserId }: UserSelection): Promise<FindOptionsWhere<User>> {
    return {
      clientId,
      state: Not('deleting'),
      ...(serviceUserId === undefined ? {} : { serviceUserId }),
      ...(appUserId === undefined ? {} : { appUserIdBlind: await this.appUserIds.blind(clientId, appUserId) }),
    };
  }
}

/** Columns of a change that begins; the time is that of the database. */
const anotherChange = (): {
  changeNumber: () => string;
  changeAttempts: number;
  changeRetryAt: null;
  changedAt: () => string;
} => ({
  changeNumber: () => 'change_number + 1',
  changeAttempts: 0,
  changeRetryAt: null,
  changedAt: () => 'now()',
});

/** Who is inactive stays so: being deactivated shows as active until the tokens are revoked. */
const deactivation = (): string => `CASE state WHEN 'inactive' THEN 'inactive' ELSE 'deactivating' END`;

async function refuseTaken<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    if (isUniqueViolation(error)) throw userAlreadyExists();
    throw error;
  }
}

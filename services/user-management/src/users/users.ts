import type { UserEntry } from '@tributary/contracts';
import { type DataSource, type FindOptionsWhere, In, Not, type Repository } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { DataKeys } from '../database/data-keys';
import { isViolation } from '../database/constraint-violation';
import { type User, isReportedActive, userEntity } from './user';
import { recordEvent } from '../webhooks/webhook-outbox';
import { userAlreadyExists } from './user-errors';

export interface UserSelection {
  serviceUserId?: number | undefined;
  appUserId?: string | undefined;
}

interface IdRow {
  service_user_id: string;
}
const idOf = ({ service_user_id }: IdRow): number => Number(service_user_id);

/** The table of users. Each look-up names the client: users of other clients are not found. */
export class Users {
  readonly #users: Repository<User>;

  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
  ) {
    this.#users = database.getRepository(userEntity);
  }

  /** The next service_user_id from the sequence; an id that is not used is skipped. */
  async nextId(): Promise<number> {
    const [row] = (await this.database.query(`SELECT nextval('service_user_id') AS id`)) as { id: string }[];
    return Number(row?.id);
  }

  /** @throws HttpError 409 when the client has a user with that app_user_id */
  async insert(clientId: string, serviceUserId: number, appUserId: string): Promise<void> {
    const sealed = await this.#sealed(clientId, serviceUserId, appUserId);
    await rejectDuplicate(() => this.#users.insert({ serviceUserId, clientId, state: 'active', ...sealed }));
  }

  /** The user; undefined when unknown or being deleted. */
  async find(clientId: string, selection: UserSelection): Promise<User | undefined> {
    return (await this.#users.findOneBy(await this.#where(clientId, selection))) ?? undefined;
  }

  /** The user, also while being deleted, so that a deletion can be repeated. */
  async findIncludingDeleting(clientId: string, serviceUserId: number): Promise<User | undefined> {
    return (await this.#users.findOneBy({ clientId, serviceUserId })) ?? undefined;
  }

  /** A page of the users of a client, ascending by id. Rows skipped by the offset are read by an index-only scan. */
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
    const total = await this.count(clientId);
    const page = (await this.database.query(
      `SELECT service_user_id FROM service_user WHERE client_id = $1 AND state <> 'deleting'
       ORDER BY service_user_id OFFSET $2 LIMIT $3`,
      [clientId, offset, limit],
    )) as IdRow[];
    const users = await this.#users.find({
      where: { serviceUserId: In(page.map(idOf)), state: Not('deleting') },
      order: { serviceUserId: 'ASC' },
    });
    return { total, users };
  }

  /** The number of users of a client. */
  async count(clientId: string): Promise<number> {
    const [count] = (await this.database.query('SELECT users FROM client_user_count WHERE client_id = $1', [
      clientId,
    ])) as { users: string }[];
    return Number(count?.users ?? 0);
  }

  /**
   * Changes the given fields in one statement. `active: false` only begins the deactivation.
   * @returns whether the client has such a user
   * @throws HttpError 409 when another user of the client has the app_user_id
   */
  async update(
    clientId: string,
    serviceUserId: number,
    change: { appUserId?: string | undefined; active?: boolean | undefined },
  ): Promise<boolean> {
    const sealed = change.appUserId === undefined ? {} : await this.#sealed(clientId, serviceUserId, change.appUserId);
    const state = change.active === undefined ? {} : { state: change.active ? ('active' as const) : deactivation };
    const result = await rejectDuplicate(() =>
      this.#users.update({ clientId, serviceUserId, state: Not('deleting') }, { ...sealed, ...state, ...newChange }),
    );
    return result.affected === 1;
  }

  /** Stores the end of a deactivation, unless a later change has begun. */
  async finishDeactivation({ serviceUserId, changeNumber }: User): Promise<void> {
    await this.#users.update({ serviceUserId, changeNumber, state: 'deactivating' }, { state: 'inactive' });
  }

  /** Hides the user from the client and erases the app_user_id, which can be used again at once. */
  async beginDeletion(serviceUserId: number): Promise<void> {
    await this.#users.update(
      { serviceUserId },
      { state: 'deleting', appUserIdSealed: null, appUserIdBlindIndex: null, ...newChange },
    );
  }

  /** Deletes the row of a user who is being deleted, and records the event in the same transaction. */
  async remove(serviceUserId: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [deleted] = await changedRows<{ client_id: string }>(
        manager,
        `DELETE FROM service_user WHERE service_user_id = $1 AND state = 'deleting' RETURNING client_id`,
        [serviceUserId],
      );
      if (deleted)
        await recordEvent(
          manager,
          { type: 'user.deleted', clientId: deleted.client_id },
          { service_user_id: serviceUserId },
        );
    });
  }

  /**
   * Leases users whose deactivation or deletion began at least a minute ago and has not finished. The lease lasts two
   * minutes or longer, and doubles with each attempt up to an hour. `SKIP LOCKED` divides the users among the replicas.
   */
  async leaseUnfinished(limit: number): Promise<User[]> {
    const leased = await changedRows<IdRow>(
      this.database,
      `UPDATE service_user SET change_attempts = change_attempts + 1,
         change_retry_at = now()
           + least(150 * 2 ^ least(change_attempts, 10), 3600) * (0.8 + 0.4 * random()) * interval '1 second'
       WHERE service_user_id IN (
         SELECT service_user_id FROM service_user
         WHERE state IN ('deactivating', 'deleting') AND changed_at < now() - interval '1 minute'
           AND (change_retry_at IS NULL OR change_retry_at <= now())
         ORDER BY change_retry_at NULLS FIRST LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING service_user_id`,
      [limit],
    );
    return this.#users.findBy({ serviceUserId: In(leased.map(idOf)) });
  }

  /**
   * The user as the API returns it.
   * @throws UnsealingError when the data key of the client is not the one that sealed the app_user_id
   */
  async entry(user: User): Promise<UserEntry> {
    const { clientId, serviceUserId, appUserIdSealed, state } = user;
    if (!appUserIdSealed) throw new Error('a user being deleted has no app_user_id');
    return {
      service_user_id: serviceUserId,
      app_user_id: (await this.keys.ofClient(clientId)).openText(appUserIdSealed, associatedData(serviceUserId)),
      active: isReportedActive(state),
    };
  }

  async #sealed(
    clientId: string,
    serviceUserId: number,
    appUserId: string,
  ): Promise<Pick<User, 'appUserIdSealed' | 'appUserIdBlindIndex'>> {
    const key = await this.keys.ofClient(clientId);
    return {
      appUserIdSealed: key.sealText(appUserId, associatedData(serviceUserId)),
      appUserIdBlindIndex: key.blindIndex('app-user-id', appUserId),
    };
  }

  async #where(clientId: string, { serviceUserId, appUserId }: UserSelection): Promise<FindOptionsWhere<User>> {
    return {
      clientId,
      state: Not('deleting'),
      ...(serviceUserId === undefined ? {} : { serviceUserId }),
      ...(appUserId === undefined
        ? {}
        : { appUserIdBlindIndex: (await this.keys.ofClient(clientId)).blindIndex('app-user-id', appUserId) }),
    };
  }
}

/** Columns of a new change; `changed_at` is the clock of the database. */
const newChange = {
  changeNumber: () => 'change_number + 1',
  changeAttempts: 0,
  changeRetryAt: null,
  changedAt: () => 'now()',
};

/** An inactive user stays inactive: `deactivating` would be reported as active until the tokens are revoked again. */
const deactivation = (): string => `CASE state WHEN 'inactive' THEN 'inactive' ELSE 'deactivating' END`;

async function rejectDuplicate<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    if (isViolation(error, 'unique')) throw userAlreadyExists();
    throw error;
  }
}

function associatedData(serviceUserId: number): string {
  return `service_user ${serviceUserId} app_user_id`;
}

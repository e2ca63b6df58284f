import type { UserEntry } from '@tributary/contracts';
import { type DataSource, type FindOptionsWhere, In, Not, type Repository } from 'typeorm';
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

  async list(clientId: string, selection: UserSelection, offset: number, limit: number): Promise<{ total: number; users: User[] }> {
    const [users, total] = await this.#users.findAndCount({ where: await this.#where(clientId, selection), order: { serviceUserId: 'ASC' }, skip: offset, take: limit });
    return { total, users };
  }

  /**
   * Changes what is given, in one step; to be inactive begins the deactivation only.
   * @returns whether the user was there to be changed
   * @throws HttpError 409 when another user has the app_user_id
   */
  async update(clientId: string, serviceUserId: number, change: { appUserId?: string | undefined; active?: boolean | undefined }): Promise<boolean> {
    const sealed = change.appUserId === undefined ? {} : await this.#sealed(clientId, serviceUserId, change.appUserId);
    const state = change.active === undefined ? {} : { state: change.active ? ('active' as const) : deactivation };
    const result = await refuseTaken(() => this.#users.update({ clientId, serviceUserId, state: Not('deleting') }, { ...sealed, ...state, changedAt: new Date() }));
    return result.affected === 1;
  }

  /** Moves the user on when still in the state that the step began in. */
  async moveOn(serviceUserId: number, from: UserState, to: UserState): Promise<void> {
    await this.#users.update({ serviceUserId, state: from }, { state: to });
  }

  /** Hides the user for good and forgets the app_user_id, which is free again at once. */
  async beginDeletion(serviceUserId: number): Promise<void> {
    await this.#users.update({ serviceUserId }, { state: 'deleting', appUserIdSealed: null, appUserIdBlind: null });
  }

  async remove(serviceUserId: number): Promise<void> {
    await this.#users.delete({ serviceUserId, state: 'deleting' });
  }

  /** Users whose deactivation or deletion began before `before` and has not finished, oldest first. */
  async unfinished(before: Date, atMost: number): Promise<User[]> {
    return this.#users
      .createQueryBuilder('u')
      .where({ state: In(['deactivating', 'deleting']) })
      .andWhere('u.changed_at < :before', { before })
      .orderBy('u.changed_at')
      .limit(atMost)
      .getMany();
  }

  /** The user as the API shows them. */
  async entry(user: User): Promise<UserEntry> {
    const { clientId, serviceUserId, appUserIdSealed, state } = user;
    if (!appUserIdSealed) throw new Error('a user being deleted cannot be shown');
    return { service_user_id: serviceUserId, app_user_id: await this.appUserIds.open(clientId, serviceUserId, appUserIdSealed), active: isShownActive(state) };
  }

  async #sealed(clientId: string, serviceUserId: number, appUserId: string): Promise<Pick<User, 'appUserIdSealed' | 'appUserIdBlind'>> {
    return { appUserIdSealed: await this.appUserIds.seal(clientId, serviceUserId, appUserId), appUserIdBlind: await this.appUserIds.blind(clientId, appUserId) };
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

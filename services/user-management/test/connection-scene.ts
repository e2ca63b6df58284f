import {
  type CollectionReport,
  type ConnectionEntry,
  type ConnectionForCollection,
  collectionQueueName,
  collectionQueuePrefix,
} from '@tributary/contracts';
import { Queue } from 'bullmq';
import type { Express } from 'express';
import request, { type Response } from 'supertest';
import { type ConnectedSystem, type Person, connect, connectionsOf, newHealthSystem, newPerson } from './connect-flow';
import { type RunningForTest, credentialsOf, runForTest } from './running-service';

/** The credentials of the ingestion worker at the internal API. */
export const workerCredentials = credentialsOf('ingestion-worker');

type NewHealthSystem = Parameters<typeof newHealthSystem> extends [unknown, ...infer Rest] ? Rest : never;

/** A service, and for each test a user of a new client. */
export class PersonScene {
  service!: RunningForTest;
  person!: Person;
  readonly #opened: ConnectedSystem[] = [];
  #queue: Queue | undefined;

  /** Adds a health system, which is closed after the test. */
  readonly open = async (...of: NewHealthSystem): Promise<ConnectedSystem> => {
    const opened = await newHealthSystem(this.service, ...of);
    this.#opened.push(opened);
    return opened;
  };

  /** The connections of the user. */
  readonly connections = (): Promise<ConnectionEntry[]> => connectionsOf(this.service, this.person);

  /** A request of the ingestion worker. */
  readonly internal = async (
    method: 'get' | 'post' | 'put',
    path: string,
    body?: object,
    app: Express = this.service.internal,
  ): Promise<Response> =>
    request(app)[method](`/internal/v1/connections/${path}`).set('Authorization', workerCredentials).send(body);

  /** A request of the user. */
  readonly own = async (
    method: 'get' | 'post' | 'delete',
    path: string,
    token = this.person.token,
  ): Promise<Response> =>
    request(this.service.app)[method](`/connect/v1/connections${path}`).set('Authorization', `Bearer ${token}`);

  /** The queue of collections. */
  get queue(): Queue {
    this.#queue ??= new Queue(collectionQueueName, {
      connection: { url: this.service.environment['REDIS_URL'] as string },
      prefix: collectionQueuePrefix,
      skipVersionCheck: true,
    });
    return this.#queue;
  }

  async begin(): Promise<void> {
    this.person = await newPerson(this.service);
  }

  /** Closes the health systems of the test. */
  async end(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map(({ system }) => system.close()));
  }

  async stop(): Promise<void> {
    await this.#queue?.close();
    await this.service.stop();
  }
}

/** A service, and for each test a user and a health system to which the user can connect. */
export class ConnectionScene extends PersonScene {
  at!: ConnectedSystem;

  constructor(private readonly ofHealthSystem: NewHealthSystem) {
    super();
  }

  override async begin(): Promise<void> {
    await super.begin();
    this.at = await this.open(...this.ofHealthSystem);
  }

  /** Connects the user from the first request to the redirect to the client. @returns the URL of that redirect */
  readonly connect = (more?: Record<string, string>): Promise<URL> => connect(this.service, this.person, this.at, more);

  /** Connects the user. @returns what the worker reads of the first connection */
  readonly connected = async (): Promise<ConnectionForCollection> => {
    await this.connect();
    const [entry] = await this.connections();
    return this.forCollection(entry?.connection_id ?? '');
  };

  readonly forCollection = async (connectionId: string): Promise<ConnectionForCollection> =>
    (await this.internal('get', connectionId)).body as ConnectionForCollection;

  readonly report = (connection: ConnectionForCollection, body: CollectionReport): Promise<Response> =>
    this.internal('put', `${connection.connection_id}/collections/${connection.collection_id}`, body);

  /** The worker's request for the access token. @param refused the id of a token that the FHIR server has rejected */
  readonly accessToken = (connectionId: string, refused?: string, app?: Express): Promise<Response> =>
    this.internal('post', `${connectionId}/access-token`, refused ? { refused_token_id: refused } : {}, app);
}

function registerHooks<T extends PersonScene>(scene: T, settings: Record<string, string>): T {
  beforeAll(async () => {
    scene.service = await runForTest(settings);
  });
  afterAll(() => scene.stop());
  beforeEach(() => scene.begin());
  afterEach(() => scene.end());
  return scene;
}

/** Registers the hooks of a test file. @param settings environment variables of the service */
export function personScene(settings: Record<string, string> = {}): PersonScene {
  return registerHooks(new PersonScene(), settings);
}

/** Registers the hooks of a test file. @param of releases and registration of the health system */
export function connectionScene(settings: Record<string, string> = {}, ...of: NewHealthSystem): ConnectionScene {
  return registerHooks(new ConnectionScene(of), settings);
}

import request, { type Response } from 'supertest';
import { type RunningForTest, runForTest } from './running-service';

export interface Credentials {
  client_id: string;
  client_secret: string;
}

export const usersPath = '/user-management/v1/user';

/** A client, and requests to the routes of users with its credentials. */
export class UserScene {
  service!: RunningForTest;
  client!: Credentials;

  async create(app_user_id: string, as: Credentials = this.client): Promise<Response> {
    return request(this.service.app)
      .post(usersPath)
      .set({ ...as })
      .send({ app_user_id });
  }

  async newCode(body: object): Promise<Response> {
    return request(this.service.app)
      .post(`${usersPath}/auth-code`)
      .set({ ...this.client })
      .send(body);
  }

  async list(query: Record<string, string | number> = {}, as: Credentials = this.client): Promise<Response> {
    return request(this.service.app)
      .get(usersPath)
      .set({ ...as })
      .query(query);
  }

  async put(body: object): Promise<Response> {
    return request(this.service.app)
      .put(usersPath)
      .set({ ...this.client })
      .send(body);
  }

  async remove(body: object): Promise<Response> {
    return request(this.service.app)
      .delete(usersPath)
      .set({ ...this.client })
      .send(body);
  }
}

/** Registers the hooks of a test file that make a new client for each test, on one service. */
export function userScene(): UserScene {
  const scene = new UserScene();
  beforeAll(async () => {
    scene.service = await runForTest();
  });
  afterAll(() => scene.service.stop());
  beforeEach(() => {
    const { client_id, client_secret } = scene.service.auth.addClient();
    scene.client = { client_id, client_secret };
  });
  return scene;
}

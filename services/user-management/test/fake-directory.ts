import type { HealthSystem } from '@tributary/contracts';
import express from 'express';
import { type TestServer, listen } from './http-server';

/** The internal API of search: a directory of health systems. */
export class FakeDirectory {
  readonly systems = new Map<number, HealthSystem>();
  /** Every response is 503 while true. */
  isUnavailable = false;

  static async listen(): Promise<{ directory: FakeDirectory; listening: TestServer }> {
    const directory = new FakeDirectory();
    const app = express();
    app.get('/internal/v1/health-systems/:id', (request, response) => {
      const found = directory.systems.get(Number(request.params.id));
      if (directory.isUnavailable) response.status(503).json({});
      else if (found) response.json(found);
      else response.status(404).json({});
    });
    return { directory, listening: await listen(app) };
  }

  add(endpoints: HealthSystem['endpoints'], name = 'Lakeside Hospital', mode: HealthSystem['mode'] = 'test'): number {
    const id = this.systems.size + 101;
    this.systems.set(id, { id, name, address: '1 Lake Street', mode, endpoints });
    return id;
  }
}

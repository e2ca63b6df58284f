import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExportCompletion, exportCompletion } from '@tributary/contracts';
import express from 'express';

/** Stands in for user-management: it records the ends of exports that are reported to it. */
export class FakeUserManagement {
  readonly reports: ExportCompletion[] = [];
  /** The statuses of the next responses; 202 when there are none left. */
  readonly statuses: number[] = [];

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<FakeUserManagement> {
    const app = express().use(express.json());
    const fake = new FakeUserManagement(createServer({ keepAliveTimeout: 65_000 }, app).listen(0, '127.0.0.1'));
    await once(fake.server, 'listening');
    app.post('/internal/v1/events/export-completed', (request, response) => {
      fake.reports.push(exportCompletion.strict().parse(request.body));
      response.status(fake.statuses.shift() ?? 202).json({});
    });
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  reportsOf(jobId: string): ExportCompletion[] {
    return this.reports.filter(({ job_id }) => job_id === jobId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

import express from 'express';
import { type TestServer, listen } from './http-server';

/** The internal API of fhir-store; it only notes which records are destroyed. */
export class FakeFhirStore {
  readonly destroyed: number[] = [];
  isUnavailable = false;
  /** Users whose records cannot be destroyed. */
  readonly stuck = new Set<number>();

  static async listen(): Promise<{ records: FakeFhirStore; listening: TestServer }> {
    const records = new FakeFhirStore();
    const app = express();
    app.delete('/internal/v1/records/:id', (request, response) => {
      if (records.isUnavailable || records.stuck.has(Number(request.params.id)))
        return void response.status(503).json({});
      records.destroyed.push(Number(request.params.id));
      response.json({});
    });
    return { records, listening: await listen(app) };
  }
}

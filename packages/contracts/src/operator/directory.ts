import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';
import { clientMode } from '../identifiers';

/** A source of the directory: a file from which health systems were loaded. */
const directorySource = z.object({
  name: z.string(),
  mode: clientMode,
  origin: z.string(),
  loaded_at: z.iso.datetime(),
  total: z.int().describe('The number of health systems.'),
});
export type DirectorySource = z.infer<typeof directorySource>;
export const directorySourceList = z.object({ entry: z.array(directorySource) }).meta({ id: 'DirectorySourceList' });

/** Typed calls to the part of the internal API of search that operators use in the console. */
export class OperatorDirectoryClient {
  constructor(private readonly http: InternalHttp) {}

  sources(context: CallContext = {}): Promise<z.infer<typeof directorySourceList>> {
    const path = '/internal/v1/operator/sources';
    return this.http.call({ method: 'GET', path, response: directorySourceList, ...context });
  }
}

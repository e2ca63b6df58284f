import type { ErrorCode } from '@tributary/contracts';
import type { ExportCaller } from '../callers/export-caller';
import type { ExportRequest } from '../requests/export-request';

/** The request of an asynchronous export. */
export interface JobRequest {
  /** The whole address. */
  address: string;
  request: ExportRequest;
}

/** An asynchronous export. */
export interface ExportJob {
  id: string;
  caller: ExportCaller;
  /** Its snapshot time, exclusive, taken at the request: the next export with `_since` begins there. */
  at: number;
  state: JobState;
}

export type JobState =
  | { of: 'accepted' }
  | { of: 'planning'; /** In percent. */ progress: number }
  | { of: 'finished' }
  | { of: 'failed'; code: ErrorCode; error: string };

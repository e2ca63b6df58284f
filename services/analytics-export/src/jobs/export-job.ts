import type { ExportCaller } from '../callers/export-caller';
import type { ExportRequest } from '../requests/export-request';

/** What an asynchronous export was asked for. */
export interface JobRequest {
  /** The whole address. */
  address: string;
  request: ExportRequest;
}

/** An asynchronous export. */
export interface ExportJob {
  id: string;
  caller: ExportCaller;
  /** Its snapshot, exclusive: when it was asked for, so that nothing is lost between one export and the next. */
  at: number;
  state: JobState;
}

export type JobState =
  | { of: 'accepted' }
  | { of: 'planning'; /** In percent. */ progress: number }
  | { of: 'finished' }
  | { of: 'failed'; status: number; error: string };

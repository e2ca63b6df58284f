import type { Fault } from './fault';
import { fullDisk } from './full-disk';
import { hang, slowPostgres, stopProcess } from './hanging';
import { hostileInput } from './hostile-input';
import { killBackend, killService, killSingle, killWorker, loseRedis, rollingReplacement } from './killing';

/** Every fault, in the order in which they are injected. */
export const faults: readonly Fault[] = [
  killService('fhir-store'),
  killService('auth'),
  killService('user-management'),
  killService('search'),
  killService('analytics-export'),
  killWorker,
  killSingle('gateway'),
  killSingle('sandbox-health-system', 'sandbox'),
  killSingle('postgres'),
  killBackend,
  killSingle('redis'),
  loseRedis,
  stopProcess('fhir-store'),
  stopProcess('auth'),
  stopProcess('user-management'),
  stopProcess('search'),
  stopProcess('analytics-export'),
  stopProcess('ingestion-worker', 'worker'),
  stopProcess('gateway'),
  stopProcess('sandbox-health-system', 'sandbox'),
  stopProcess('postgres'),
  stopProcess('redis'),
  hang('redis'),
  hang('postgres'),
  slowPostgres,
  fullDisk,
  hostileInput,
  rollingReplacement,
];

export const faultNames: readonly string[] = faults.map(({ name }) => name);

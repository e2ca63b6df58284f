import type { AuditEntity, AuditTrail, NewAuditEvent } from '@tributary/audit-log';
import { requestOrigin } from '@tributary/service-kit';
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { ExportCaller } from '../callers/export-caller';
import { type ManifestFile, fileMetadata } from '../files/manifest-file';
import { type ExportRequest, parametersOf } from '../requests/export-request';

/** The action of each event. An export reads data (E: a bulk operation), and a cancellation deletes the export. */
const actions = {
  'export.requested': 'E',
  'export.planned': 'E',
  'export.read': 'R',
  download: 'R',
  'export.cancelled': 'D',
} as const;

type Outcome = Exclude<NewAuditEvent['outcome'], 'begun'>;

/** An export or a download, before its outcome is known. */
export interface ExportAuditEvent {
  requestId: string;
  kind: keyof typeof actions;
  caller: ExportCaller;
  /** Absent for what the service does by itself. */
  request?: IncomingMessage;
  /** The user whose data it is about; by default the one who calls. */
  subject?: number;
  /** What was asked for. */
  wanted?: ExportRequest;
  /** Numbers of resources by type and release: `{"Observation r4": 60}`. */
  resources?: Record<string, number>;
  /** In place of `resources`. */
  entity?: AuditEntity;
}

/**
 * The audit events of exports and downloads: who received whose data, which types, how many resources, and the outcome.
 * No data is sent before its event is recorded. One with the outcome `begun` that no other completes was interrupted by
 * the end of the process.
 */
export class AuditLog {
  constructor(
    private readonly trail: AuditTrail,
    private readonly trustedProxies: BlockList,
  ) {}

  /** Records an event together with its outcome. @throws AuditUnavailable */
  async record(event: ExportAuditEvent, outcome: Outcome): Promise<void> {
    await this.trail.record({ ...this.#newEvent(event), outcome });
  }

  /**
   * Records an event that has begun.
   * @returns records its end
   * @throws AuditUnavailable
   */
  async begin(event: ExportAuditEvent): Promise<(outcome: Outcome, sent?: { bytes?: number }) => Promise<void>> {
    const begun = this.#newEvent(event);
    const eventOf = await this.trail.record({ ...begun, outcome: 'begun' });
    return async (outcome, { bytes } = {}) => {
      const [entity = {}] = begun.entities ?? [];
      const entities = [{ ...entity, ...(bytes === undefined ? {} : { bytes }) }];
      await this.trail.record({ ...begun, outcome, entities, eventOf });
    };
  }

  #newEvent(event: ExportAuditEvent): Omit<NewAuditEvent, 'outcome'> {
    const { requestId, kind, caller, request } = event;
    const { clientId, serviceUserId, developer } = caller;
    const subject = event.subject ?? serviceUserId;
    const entity = entityOf(event);
    return {
      kind,
      action: actions[kind],
      requestId,
      agent: {
        clientId,
        ...(serviceUserId === undefined ? {} : { serviceUserId }),
        ...(developer === undefined ? {} : { developer }),
      },
      ...(subject === undefined ? {} : { subject }),
      ...(request ? requestOrigin(request, this.trustedProxies) : {}),
      ...(entity ? { entities: [entity] } : {}),
    };
  }
}

function entityOf({ wanted, resources: counts, entity }: ExportAuditEvent): AuditEntity | undefined {
  const query = wanted ? parametersOf(wanted).join('&') : '';
  if (!counts && !entity && query === '') return undefined;
  return {
    ...entity,
    ...(query === '' ? {} : { query }),
    ...(counts ? { count: Object.values(counts).reduce((sum, count) => sum + count, 0), counts } : {}),
  };
}

/** The resources in these files, counted. */
export function countsOf(files: readonly ManifestFile[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { type, release, count } of files.map(fileMetadata)) {
    const name = `${type} ${release}`;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

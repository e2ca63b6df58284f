import type { AuditEntity, AuditTrail, NewAuditEvent } from '@tributary/audit-log';
import { requestOrigin } from '@tributary/service-kit';
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { ExportCaller } from '../callers/export-caller';
import { type ManifestFile, fileMetadata } from '../files/manifest-file';
import { type ExportRequest, parametersOf } from '../requests/export-request';

/** Numbers of resources by type and release: `{"Observation r4": 60}`. */
export type ResourceCounts = Record<string, number>;

export type AuditOutcome = 'success' | 'aborted' | 'refused' | 'failed';

/** An export or a download, before its outcome is known. */
export interface ExportAuditEvent {
  requestId: string;
  action: 'export' | 'planned export' | 'manifest' | 'download' | 'cancellation';
  caller: ExportCaller;
  /** Absent for what the service does by itself. */
  request?: IncomingMessage;
  /** The user whose data it is about; by default the one who calls. */
  subject?: number;
  /** What was asked for. */
  wanted?: ExportRequest;
  resources?: ResourceCounts;
  /** In place of `resources`. */
  entity?: AuditEntity;
}

/** An audit event whose outcome is still to be recorded. */
export interface OpenAuditEvent {
  end(outcome: AuditOutcome, facts?: { bytes?: number }): Promise<void>;
}

/** An export reads data (E: a bulk operation), and a cancellation deletes the export. */
const kinds = {
  export: { kind: 'export.requested', action: 'E' },
  'planned export': { kind: 'export.planned', action: 'E' },
  manifest: { kind: 'export.read', action: 'R' },
  download: { kind: 'download', action: 'R' },
  cancellation: { kind: 'export.cancelled', action: 'D' },
} as const satisfies Record<ExportAuditEvent['action'], Pick<NewAuditEvent, 'kind' | 'action'>>;

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
  async record(event: ExportAuditEvent, outcome: AuditOutcome): Promise<void> {
    await this.trail.record({ ...this.#newEvent(event), outcome });
  }

  /** Records an event that has begun. @throws AuditUnavailable */
  async begin(event: ExportAuditEvent): Promise<OpenAuditEvent> {
    const begun = this.#newEvent(event);
    const eventOf = await this.trail.record({ ...begun, outcome: 'begun' });
    return {
      end: async (outcome, { bytes } = {}) => {
        const [entity = {}] = begun.entities ?? [];
        const entities = [{ ...entity, ...(bytes === undefined ? {} : { bytes }) }];
        await this.trail.record({ ...begun, outcome, entities, eventOf });
      },
    };
  }

  #newEvent(event: ExportAuditEvent): Omit<NewAuditEvent, 'outcome'> {
    const { requestId, action, caller, request } = event;
    const { clientId, serviceUserId } = caller;
    const subject = event.subject ?? serviceUserId;
    const entity = entityOf(event);
    return {
      ...kinds[action],
      requestId,
      agent: { clientId, ...(serviceUserId === undefined ? {} : { serviceUserId }) },
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
export function countsOf(files: readonly ManifestFile[]): ResourceCounts {
  const counts = new Map<string, number>();
  for (const { type, release, count } of files.map(fileMetadata)) {
    const name = `${type} ${release}`;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

import type { ConnectionDetail, TypeProgress } from '@tributary/contracts';

let count = 0;

/** A connection as the public API returns it. */
export function connectionWith(more: Partial<ConnectionDetail> = {}): ConnectionDetail {
  count += 1;
  return {
    success: true,
    connection_id: `9b2e7f0e-3e0c-4a53-9b5e-${String(count).padStart(12, '0')}`,
    health_system: { id: 5, name: 'Lakeside' },
    fhirVersion: 'r4',
    patient: { id: 'a-1', name: 'Amelia Hart', birth_date: '1984-03-09' },
    other_person: false,
    status: 'active',
    progress: { collected: 5, types_done: 1, types_total: 1 },
    complete: true,
    warnings: [],
    outcomes: { complete: 1, partial: 0, refused: 0, not_offered: 0, failed: 0 },
    warnings_omitted: 0,
    information: [],
    last_collected_at: '2026-01-01T00:00:00.000Z',
    granted_scopes: [],
    refreshable: true,
    consent: {
      receipt_id: 'b7a1c0de-5f4e-4d3c-8b2a-190f8e7d6c5b',
      client_id: 'better-sleep',
      given_at: '2026-01-01T00:00:00.000Z',
      expires_at: null,
      types: null,
      scopes_requested: [],
      scopes_granted: [],
    },
    types: [],
    results: [],
    ...more,
  };
}

/** The progress of one resource type. */
export function progressOf(type: string, more: Partial<TypeProgress> = {}): TypeProgress {
  return {
    type,
    read: 'full',
    fetched: 0,
    stored: 0,
    unchanged: 0,
    failed: 0,
    created: 0,
    deleted: 0,
    done: true,
    outcome: 'complete',
    warnings: [],
    ...more,
  };
}

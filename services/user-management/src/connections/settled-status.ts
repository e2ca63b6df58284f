import type { EntityManager } from 'typeorm';
import { type ConnectionOfEvent, announce } from '../webhooks/webhook-outbox';
import type { SettledStatus } from './connection';

/** A connection as it was before it settled, for the event that tells of it. */
export interface SettledBefore extends ConnectionOfEvent {
  settled_status: SettledStatus | null;
}

/** Announces that a connection settled as something else than before: a daily collection that goes well, or fails again, changes nothing. */
export async function announceStatus(
  manager: EntityManager,
  status: SettledStatus,
  connection: SettledBefore,
): Promise<void> {
  if (connection.settled_status !== status) await announce(manager, `connection.${status}`, connection, {});
}

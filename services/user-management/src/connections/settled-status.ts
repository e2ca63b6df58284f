import type { EntityManager } from 'typeorm';
import { type ConnectionOfEvent, announce } from '../webhooks/webhook-outbox';
import type { AnnouncedStatus } from './connection';

/** A connection as it was before it settled, for the event that tells of it. */
export interface SettledBefore extends ConnectionOfEvent {
  last_announced_status: AnnouncedStatus | null;
}

/** Announces that a connection settled as something else than before: a daily collection that goes well, or fails again, changes nothing. */
export async function announceStatus(
  manager: EntityManager,
  status: AnnouncedStatus,
  connection: SettledBefore,
): Promise<void> {
  if (connection.last_announced_status !== status) await announce(manager, `connection.${status}`, connection, {});
}

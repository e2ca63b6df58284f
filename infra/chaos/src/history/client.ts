import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@tributary/test-environment';
import { type Answer, send } from './fhir-client';
import type { Operation, Outcome } from './operation';
import { Requests, type Subject, nothing } from './requests';

const maxIds = 16;
const pauseAfterOutageMs = 20;
const refusals = new Set([404, 409, 410, 412]);

export interface ClientParts {
  readonly number: number;
  readonly random: Random;
  readonly replicaUrls: readonly string[];
  readonly subjects: readonly Subject[];
  record(operation: Operation): void;
}

/** Sends random requests one after the other until the run ends. */
export async function runClient(
  { number, random, replicaUrls, subjects, record }: ClientParts,
  isOver: () => boolean,
): Promise<void> {
  const requests = new Requests(random, number);
  while (!isOver()) {
    const subject = random.pick(subjects);
    const planned = requests.next(subject);
    const started = performance.now();
    const answer = await send(random.pick(replicaUrls), subject.token, planned.request);
    const ended = performance.now();
    const outcome = outcomeOf(answer);
    const { written, seen } = outcome === 'acknowledged' ? planned.read(answer) : nothing;
    for (const { id, version } of [...written, ...seen]) learn(subject, id, version);
    record({
      name: planned.name,
      user: subject.user,
      started,
      ended,
      outcome,
      status: answer.status,
      intents: planned.intents ?? [],
      written,
      seen,
    });
    if (outcome === 'unknown' || answer.unsent) await sleep(pauseAfterOutageMs);
  }
}

function outcomeOf({ status, unsent }: Answer): Outcome {
  if (status === undefined) return unsent ? 'refused' : 'unknown';
  if (status < 300) return 'acknowledged';
  return refusals.has(status) ? 'refused' : 'unknown';
}

/** Adds resources that conditional interactions created to those that are written by id. */
function learn(subject: Subject, id: string, version: number): void {
  subject.versions.set(id, version);
  const isKnown = subject.ids.includes(id) || subject.largeIds.includes(id);
  if (!isKnown && subject.ids.length < maxIds) subject.ids.push(id);
}

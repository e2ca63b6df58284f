import { faults } from './faults/catalogue';
import { createClient } from './load/users';
import { WebhookReceiver } from './load/webhook-receiver';
import { Random } from '@tributary/test-environment';
import { type Row, renderTable } from './table';
import { Round } from './round';
import { openChaosSuite } from './suite/chaos-suite';

export interface ChaosOptions {
  only: readonly string[];
  seed: number;
  /** The duration of each fault. */
  seconds: number;
  portBase: number;
}

/**
 * Starts the suite, injects the faults one after the other, and compares all data once more at the end.
 * @param signal ends the run early; all started processes are stopped and their data is removed
 */
export async function runChaos(
  { only, seed, seconds, portBase }: ChaosOptions,
  log: (message: string) => void,
  signal: AbortSignal,
): Promise<Row[]> {
  const chosen = only.flatMap((name) => faults.filter((fault) => fault.name === name));
  const rounds: Round[] = [];
  const withVolume = chosen.some(({ needsVolume }) => needsVolume === true);
  const suite = await openChaosSuite(portBase, withVolume, log);
  let webhooks: WebhookReceiver | undefined;
  try {
    const client = await createClient(suite);
    webhooks = await WebhookReceiver.start(suite, client);
    const context = { suite, client, webhooks, random: new Random(seed), seconds, log, signal };
    for (const fault of chosen) {
      if (signal.aborted) break;
      const round = new Round(context, fault, rounds.length);
      rounds.push(round);
      await round.run().catch((error: unknown) => round.fail(error));
      log(`done\n${renderTable([round.row()])}`);
    }
    log('comparing everything once more');
    for (const round of rounds) if (!signal.aborted) await round.check().catch((error: unknown) => round.fail(error));
  } finally {
    log('stopping');
    await webhooks?.stop();
    await suite.stop();
  }
  return rounds.map((round) => round.row());
}

import { faults } from './faults/catalogue';
import { createClient } from './load/users';
import { WebhookReceiver } from './load/webhook-receiver';
import { Random } from './random';
import { type Row, renderTable } from './report/table';
import { Round, type RoundOptions } from './round';
import { openChaosSuite } from './suite/chaos-suite';

export interface ChaosOptions extends RoundOptions {
  only: readonly string[];
  seed: number;
  portBase: number;
}

/**
 * Starts the suite, injects the faults one after the other, and at last compares everything once more.
 * @param signal ends the run early; everything that was started is stopped and removed all the same
 */
export async function runChaos(
  options: ChaosOptions,
  say: (message: string) => void,
  signal: AbortSignal,
): Promise<Row[]> {
  const chosen = options.only.flatMap((name) => faults.filter((fault) => fault.name === name));
  const rounds: Round[] = [];
  const suite = await openChaosSuite({
    portBase: options.portBase,
    withVolume: chosen.some(({ needsVolume }) => needsVolume),
    say,
  });
  let webhooks: WebhookReceiver | undefined;
  try {
    const client = await createClient(suite);
    webhooks = await WebhookReceiver.start(suite, client);
    const world = { suite, client, webhooks, random: new Random(options.seed), say };
    for (const fault of chosen) {
      if (signal.aborted) break;
      const round = new Round(world, fault, rounds.length, options);
      rounds.push(round);
      await round.run(signal).catch((error: unknown) => round.fail(error));
      say(`done\n${renderTable([round.row()])}`);
    }
    say('comparing everything once more');
    for (const round of rounds)
      if (!signal.aborted) await round.check(signal).catch((error: unknown) => round.fail(error));
  } finally {
    say('stopping');
    await webhooks?.stop();
    await suite.stop();
  }
  return rounds.map((round) => round.row());
}

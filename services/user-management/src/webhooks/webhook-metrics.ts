import { counter } from '@tributary/service-kit';

/** The outcome is `accepted` or that of the failed attempt. */
export const webhookAttempts = counter(
  'tributary_webhook_attempts_total',
  'The attempts to deliver webhook events, by outcome.',
  ['outcome'],
);

import { Gauge } from 'prom-client';
import { metrics } from './registry';

/** Set whenever the certificate is read; without TLS there is no value. */
export const certificateExpiry = new Gauge({
  name: 'tributary_tls_certificate_expiry_timestamp_seconds',
  help: 'When the TLS certificate of the process expires, in seconds since 1970.',
  registers: [metrics],
});

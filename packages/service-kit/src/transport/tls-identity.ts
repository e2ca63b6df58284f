import { createPrivateKey } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { type SecureContextOptions, createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { certificateExpiry } from '../metrics/certificate-metrics';
import { certificatesOf } from './pem-certificates';

/** Paths of PEM files. */
export interface TlsFiles {
  /** The certificate of the service, followed by intermediate certificates. */
  certificate: string;
  key: string;
  /** The certificates of the authorities that issue the certificates of all services. */
  authority: string;
  /** How often the files are read again, in milliseconds. */
  reloadEveryMs: number;
}

/** Suites with forward secrecy and authenticated encryption. The first three belong to TLS 1.3. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const dayMs = 86_400_000;
/** From when on the expiry of the certificate is logged, in milliseconds before it. */
const expiryWarningMs = 14 * dayMs;

/** What the files contain. */
interface Material {
  certificate: string;
  key: string;
  authority: string;
  /** In epoch milliseconds. */
  expiresAt: number;
  /** Of the certificate, SHA-256. */
  fingerprint: string;
}

/**
 * The certificate of a service, with which it serves and calls other services. The files are read again periodically,
 * so a certificate is replaced without a restart. A replacement that cannot be used is logged, and the certificate
 * before it stays.
 */
export class TlsIdentity {
  /** Tells of replaced certificates or authorities, by the fingerprint of the certificate. */
  readonly changes = new EventEmitter<{ change: [fingerprint: string] }>();
  #options: SecureContextOptions;
  #refused = '';
  #warnedAt = 0;
  readonly #servers = new Set<Server>();
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly files: TlsFiles,
    private readonly log: Logger,
    private material: Material,
  ) {
    this.#options = optionsOf(material);
    this.#warnOfExpiry();
    this.#timer = setInterval(() => void this.#reload(), files.reloadEveryMs).unref();
  }

  /**
   * @throws Error when a file cannot be read, the key is not that of the certificate, or the certificate has expired
   */
  static async open(files: TlsFiles, log: Logger): Promise<TlsIdentity> {
    return new TlsIdentity(files, log, await read(files));
  }

  /** The certificate and the trusted authorities; another object after they were replaced. */
  options(): SecureContextOptions {
    return this.#options;
  }

  /** Applies later certificates to a server. */
  follow(server: Server): void {
    this.#servers.add(server);
    server.once('close', () => this.#servers.delete(server));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #reload(): Promise<void> {
    let material: Material;
    try {
      material = await read(this.files);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown reason';
      if (reason !== this.#refused) this.log.error(`the TLS certificate cannot be replaced: ${reason}`);
      this.#refused = reason;
      return;
    }
    this.#refused = '';
    if (isSame(material, this.material)) {
      this.#warnOfExpiry();
      return;
    }
    this.material = material;
    this.#options = optionsOf(material);
    for (const server of this.#servers) server.setSecureContext(this.#options);
    this.log.info({ expires: new Date(material.expiresAt).toISOString() }, 'the TLS certificate was replaced');
    this.changes.emit('change', material.fingerprint);
    this.#warnOfExpiry();
  }

  #warnOfExpiry(): void {
    const now = Date.now();
    const { expiresAt } = this.material;
    certificateExpiry.set(expiresAt / 1000);
    if (expiresAt - now > expiryWarningMs || now - this.#warnedAt < dayMs) return;
    this.#warnedAt = now;
    this.log.warn({ expires: new Date(expiresAt).toISOString() }, 'the TLS certificate expires soon');
  }
}

async function read(files: TlsFiles): Promise<Material> {
  const [certificate, key, authority] = await Promise.all([
    readPem(files.certificate, 'TLS_CERTIFICATE_FILE'),
    readPem(files.key, 'TLS_KEY_FILE'),
    readPem(files.authority, 'TLS_CA_FILE'),
  ]);
  const [leaf] = parsed('TLS_CERTIFICATE_FILE', () => certificatesOf(certificate));
  parsed('TLS_CA_FILE', () => certificatesOf(authority));
  if (!leaf.checkPrivateKey(parsed('TLS_KEY_FILE', () => createPrivateKey(key))))
    throw new Error('TLS_KEY_FILE is not the key of the certificate of TLS_CERTIFICATE_FILE');
  const expiresAt = Date.parse(leaf.validTo);
  if (expiresAt <= Date.now()) throw new Error('the certificate of TLS_CERTIFICATE_FILE has expired');
  const material = { certificate, key, authority, expiresAt, fingerprint: leaf.fingerprint256 };
  // OpenSSL may refuse a certificate or key as too weak.
  parsed('TLS_CERTIFICATE_FILE', () => createSecureContext(optionsOf(material)));
  return material;
}

async function readPem(path: string, variable: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new Error(`the file of ${variable} cannot be read: ${code}`);
  }
}

function parsed<T>(variable: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Error(`the file of ${variable} is not PEM, or not complete`);
  }
}

function isSame(one: Material, other: Material): boolean {
  return one.certificate === other.certificate && one.key === other.key && one.authority === other.authority;
}

function optionsOf({ certificate, key, authority }: Material): SecureContextOptions {
  return { cert: certificate, key, ca: authority, minVersion: 'TLSv1.2', ciphers };
}

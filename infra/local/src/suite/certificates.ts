import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificates } from '@tributary/certificates';
import type { ServerCertificate } from '@tributary/local-databases';
import { services } from '@tributary/postgres';

const subjects = [
  ...services,
  'documentation',
  'gateway',
  'sandbox-health-system',
  'sandbox-mail',
  'postgres',
  'redis',
  'object-storage',
] as const;
type Subject = (typeof subjects)[number];

/** Certificates that end earlier are issued anew, in milliseconds. */
const minLifeMs = 3 * 86_400_000;

/** The certificates of one local suite, from a temporary authority, as PEM files in a folder. */
export class SuiteCertificates {
  private constructor(private readonly folder: string) {}

  /**
   * Opens the folder, and issues new certificates where it does not have those of every process. Suites that share a
   * folder trust each other.
   */
  static async open(folder: string): Promise<SuiteCertificates> {
    const certificates = new SuiteCertificates(folder);
    if (!certificates.#areUsable()) await certificates.#issue();
    return certificates;
  }

  /** The certificate of the authority. */
  get authorityFile(): string {
    return join(this.folder, 'ca.crt');
  }

  get authority(): string {
    return readFileSync(this.authorityFile, 'utf8');
  }

  files(subject: Subject): ServerCertificate {
    const [certificate, key] = [join(this.folder, `${subject}.crt`), join(this.folder, `${subject}.key`)];
    return { certificate, key, authority: this.authorityFile };
  }

  /** The contents of the files. */
  read(subject: Subject): ServerCertificate {
    const { certificate, key } = this.files(subject);
    return {
      certificate: readFileSync(certificate, 'utf8'),
      key: readFileSync(key, 'utf8'),
      authority: this.authority,
    };
  }

  #areUsable(): boolean {
    if (!existsSync(this.authorityFile)) return false;
    const authority = new X509Certificate(this.authority);
    return subjects.every((subject) => {
      const { certificate, key } = this.files(subject);
      if (!existsSync(certificate) || !existsSync(key)) return false;
      const issued = new X509Certificate(readFileSync(certificate));
      return issued.checkIssued(authority) && Date.parse(issued.validTo) - Date.now() > minLifeMs;
    });
  }

  async #issue(): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    // Processes of the suite are reached at these names; the first one tells services apart.
    const names = Object.fromEntries(subjects.map((subject) => [subject, [subject, 'localhost', '127.0.0.1']]));
    const { authority, certificates } = await issueCertificates(names as Record<Subject, string[]>);
    for (const subject of subjects) {
      const { certificate, key } = this.files(subject);
      writeFileSync(certificate, certificates[subject].certificate);
      writeFileSync(key, certificates[subject].key, { mode: 0o600 });
    }
    // Last: without it, all others are issued again.
    writeFileSync(this.authorityFile, authority);
  }
}

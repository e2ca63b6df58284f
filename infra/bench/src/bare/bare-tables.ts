import { createHash, randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { RecordTemplate, SearchedCode } from '../people/record-template';
import {
  bigintColumn,
  bigintsColumn,
  copyHeader,
  copyRow,
  copyTrailer,
  smallintColumn,
  textColumn,
  uuidColumn,
} from './binary-copy';
import { seal } from './sealing';

/** A record in the bare tables, with the same resources as in the suite. */
export interface BareRecord {
  userId: number;
  template: RecordTemplate;
}

/** The type code of Observation in the bare table. */
export const observationTypeCode = 1;

const drop =
  'DROP TABLE IF EXISTS fhir_store.bench_resource, fhir_store.bench_source, fhir_store.bench_line, fhir_store.bench_directory';

/** Tables in the same database without any logic of the suite: they show the upper limit of the machine. */
export class BareTables {
  readonly key = randomBytes(32);
  readonly pool: Pool;
  readonly #rows = new Map<RecordTemplate, Buffer[][]>();

  /** @param url of the role that owns the records; the tables are in its schema until the bench ends */
  constructor(readonly url: string) {
    this.pool = new Pool({ connectionString: url, max: 4 });
  }

  async create(): Promise<void> {
    await this.pool.query(drop);
    await this.pool.query(
      'CREATE TABLE fhir_store.bench_resource (user_id bigint, date bigint, id uuid, type_code smallint, terms bigint[], content bytea, PRIMARY KEY (user_id, type_code, id))',
    );
    await this.pool.query('ALTER TABLE fhir_store.bench_resource ALTER COLUMN content SET STORAGE EXTERNAL');
    await this.pool.query(
      'CREATE TABLE fhir_store.bench_source (user_id bigint, type text, id text, line text, PRIMARY KEY (user_id, type, id))',
    );
    await this.pool.query('CREATE TABLE fhir_store.bench_line (line text)');
  }

  async close(): Promise<void> {
    await this.pool.query(drop);
    await this.pool.end();
  }

  /** Fills the table of the bare routes. Each resource is encrypted separately and has ten terms and a date. */
  async fill(records: readonly BareRecord[]): Promise<void> {
    await this.copyIn('COPY fhir_store.bench_resource FROM STDIN (FORMAT binary)', this.#rowsOf(records));
    await this.pool.query('ANALYZE fhir_store.bench_resource');
  }

  /**
   * Stores resources as plain text with their primary key.
   * @returns the duration in seconds
   */
  async copyLines(records: readonly BareRecord[]): Promise<number> {
    const texts = new Map(
      [...new Set(records.map(({ template }) => template))].map((template) => [
        template,
        template.lines.map(
          (line, index) =>
            `\t${template.resources[index]?.type ?? ''}\t${template.resources[index]?.id ?? ''}-${index}\t${textColumn(line)}\n`,
        ),
      ]),
    );
    const began = performance.now();
    await this.copyIn(
      'COPY fhir_store.bench_source FROM STDIN',
      (function* () {
        for (const { userId, template } of records)
          yield Buffer.from((texts.get(template) ?? []).map((text) => `${userId}${text}`).join(''));
      })(),
    );
    const seconds = (performance.now() - began) / 1000;
    await this.pool.query('TRUNCATE fhir_store.bench_source');
    return seconds;
  }

  /** Runs COPY … FROM STDIN with the chunks as input. */
  async copyIn(sql: string, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const connection = await this.pool.connect();
    try {
      const stream = connection.query(copyFrom(sql));
      const finished = new Promise<void>((resolve, reject) => stream.once('finish', resolve).once('error', reject));
      for await (const piece of pieces)
        if (!stream.write(piece))
          await Promise.race([finished, new Promise((resolve) => stream.once('drain', resolve))]);
      stream.end();
      await finished;
    } finally {
      connection.release();
    }
  }

  /** Runs COPY … TO STDOUT and discards the output. Returns its size in bytes and the duration in seconds. */
  async copyOut(sql: string): Promise<{ bytes: number; seconds: number }> {
    const connection = await this.pool.connect();
    try {
      const began = performance.now();
      let bytes = 0;
      for await (const piece of connection.query(copyTo(sql)) as AsyncIterable<Buffer>) bytes += piece.length;
      return { bytes, seconds: (performance.now() - began) / 1000 };
    } finally {
      connection.release();
    }
  }

  *#rowsOf(records: readonly BareRecord[]): Generator<Buffer> {
    yield copyHeader;
    for (const { userId, template } of records) {
      const user = bigintColumn(userId);
      const rows = this.#columnsOf(template);
      yield Buffer.concat(
        rows.map(([kind, terms, content], index) =>
          copyRow([user, bigintColumn(index), uuidColumn(bareId(userId, index)), kind, terms, content] as Buffer[]),
        ),
      );
    }
    yield copyTrailer;
  }

  /** The columns that are the same for all users of a template: type code, terms, encrypted content. */
  #columnsOf(template: RecordTemplate): Buffer[][] {
    let rows = this.#rows.get(template);
    if (!rows) {
      rows = template.lines.map((line, index) => {
        const resource = template.resources[index];
        const terms = Array.from({ length: 9 }, (_, n) => hashed(`${line}${n}`));
        return [
          smallintColumn(typeCodeOf(resource?.type ?? '')),
          bigintsColumn([resource?.code ? bareTerm(resource.code) : 0n, ...terms]),
          seal(this.key, line),
        ];
      });
      this.#rows.set(template, rows);
    }
    return rows;
  }
}

/** The search term of a code. */
export function bareTerm({ system, code }: SearchedCode): bigint {
  return hashed(`${system}|${code}`);
}

/** The id of a row, which requests compute from the user id and the index. */
export function bareId(userId: number, index: number): string {
  const hex = `${userId.toString(16).padStart(16, '0')}${(Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}${index.toString(16).padStart(8, '0')}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function typeCodeOf(type: string): number {
  return type === 'Observation' ? observationTypeCode : 2 + Number(hashed(type) & 0x3fffn);
}

function hashed(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64BE(0);
}

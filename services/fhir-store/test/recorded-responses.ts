import type {
  DeletedResource,
  ExportFile,
  ExportScope,
  ExportSelection,
  StreamOptions,
} from '@tributary/record-storage';
import type { RecordOverHttp } from './record-over-http';

/** What is asked of a fhir-store, once when a dump is made and again by the upgrade test. */
export interface RecordedRequest {
  readonly userId: number;
  readonly clientId: string;
  readonly address: string;
}

export interface RecordedAnswer extends RecordedRequest {
  readonly status: number;
  /** Without links, which hold sealed page tokens and so differ each time. */
  readonly body: unknown;
}

export interface RecordedExport {
  readonly scope: ExportScope;
  /** Sorted. */
  readonly lines: readonly string[];
  /** What was deleted, as JSON, sorted. */
  readonly deleted: readonly string[];
}

export interface Recorded {
  readonly requests: readonly RecordedAnswer[];
  /** The snapshot of the exports, in epoch milliseconds. */
  readonly at: number;
  readonly exports: readonly RecordedExport[];
}

type UserOf = (userId: number, clientId: string) => Pick<RecordOverHttp, 'get'>;

export async function answersOf(user: UserOf, requests: readonly RecordedRequest[]): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = [];
  for (const { userId, clientId, address } of requests) {
    const { status, body } = (await user(userId, clientId).get(address)) as { status: number; body: string };
    answers.push({
      userId,
      clientId,
      address,
      status,
      body: body === '' ? null : withoutLinks(JSON.parse(body) as Record<string, unknown>),
    });
  }
  return answers;
}

function withoutLinks({ link: _link, ...body }: Record<string, unknown>): Record<string, unknown> {
  return body;
}

const scopes: readonly ExportScope[] = [
  { userId: 1 },
  { userId: 2 },
  { userId: 3 },
  { userId: 4 },
  { clientId: 'client' },
  { clientId: 'another-client' },
];

/** Reads exports. The class RecordExport of the dumped commits has these methods. */
export interface ExportReader {
  plan(selection: ExportSelection): Promise<ExportFile[]>;
  streamFile(file: ExportFile, options: StreamOptions): AsyncIterable<Buffer>;
  deletions(selection: ExportSelection): AsyncIterable<DeletedResource[]>;
}

/** What exports hold as of a time. */
export async function exportsOf(reader: ExportReader, at: number): Promise<RecordedExport[]> {
  const exports: RecordedExport[] = [];
  for (const scope of scopes) {
    const lines: string[] = [];
    for (const file of await reader.plan({ scope, at })) {
      const pieces: Buffer[] = [];
      for await (const piece of reader.streamFile(file, { encoding: 'identity' })) pieces.push(piece);
      const own = Buffer.concat(pieces).toString('utf8').split('\n').filter(Boolean);
      if (own.length !== file.count) throw new Error(`a file of ${file.count} resources has ${own.length} lines`);
      lines.push(...own);
    }
    const deleted: string[] = [];
    for await (const chunk of reader.deletions({ scope, at }))
      // The dumps were recorded when a type code was called "kind".
      deleted.push(
        ...chunk.map(({ userId, typeCode, id, lastUpdated }) =>
          JSON.stringify({ userId, kind: typeCode, id, lastUpdated }),
        ),
      );
    exports.push({ scope, lines: lines.toSorted(), deleted: deleted.toSorted() });
  }
  return exports;
}

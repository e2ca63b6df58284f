import type { ExportEntry, ExportManifest, ExportedFile } from '@tributary/contracts';
import { sum } from 'd3-array';
import type { ReactNode } from 'react';
import { asClient, keys, useAnswer } from '../api/queries';
import { Answer } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { Copyable } from '../components/copy-button';
import { quoted } from '../components/curl';
import { DataTable } from '../components/data-table';
import { Notice } from '../components/notice';
import { facts } from '../facts';
import { countText, numberText } from '../text';
import { releaseNames } from '../users/releases';
import { exportPath } from './new-export';

interface NamedFile extends ExportedFile {
  /** Unique among the files of the export. */
  name: string;
  what: 'resources' | 'deletions' | 'problems';
}

/** The files of a finished export, one by one or all with a command. */
export function ExportFiles({ clientId, entry }: { clientId: string; entry: ExportEntry }): ReactNode {
  const manifest = useAnswer<ExportManifest>(
    [...keys.exports(clientId), 'manifest', entry.export_id],
    asClient(clientId, 'analytics', `${exportPath}-status/${entry.export_id}`),
  );
  return (
    <>
      <h3>Files</h3>
      <Answer query={manifest}>
        {(answer) => {
          const files = namedFiles(answer);
          const total = sum(answer.output, ({ count }) => count);
          return (
            <>
              <p className="muted">
                {countText(total, 'resource')} in {countText(answer.output.length, 'file')}, as of{' '}
                <Copyable text={answer.transactionTime} what="transactionTime" />
              </p>
              {answer.error.length > 0 && (
                <Notice kind="warning">Something is left out: the files of OperationOutcomes say what and why.</Notice>
              )}
              {files.length === 0 ? (
                <p>There is nothing to export: no resource matches what was asked for.</p>
              ) : (
                <>
                  <DataTable
                    caption="Files"
                    rows={files}
                    keyOf={({ name }) => name}
                    columns={[
                      { header: 'Type', cell: (file) => <FileType file={file} /> },
                      { header: 'Lines', cell: ({ count }) => numberText(count), isNumber: true },
                      { header: 'File', cell: (file) => <Download clientId={clientId} file={file} /> },
                    ]}
                  />
                  <h4>All files with a command</h4>
                  <p>Set CLIENT_SECRET in your shell. The command stores the files in the folder in which it runs.</p>
                  <CodeBlock text={downloadCommand(clientId, files)} what="the command" />
                </>
              )}
            </>
          );
        }}
      </Answer>
    </>
  );
}

function FileType({ file: { type, what, extension } }: { file: NamedFile }): ReactNode {
  const { fhirVersion, convertedFrom } = extension;
  const from = convertedFrom && what === 'resources' ? `, converted from ${releaseNames[convertedFrom]}` : '';
  return (
    <>
      {type}
      <span className="second-line">
        {what === 'deletions'
          ? 'What was deleted'
          : what === 'problems'
            ? 'What is left out'
            : releaseNames[fhirVersion]}
        {from}
      </span>
    </>
  );
}

/** The browser stores the file while it arrives. */
function Download({ clientId, file }: { clientId: string; file: NamedFile }): ReactNode {
  const path = file.url.slice(`${facts.urls.analytics_url}/`.length);
  return (
    <a
      className="button small"
      href={`${facts.root}/api/v1/${asClient(clientId, 'analytics', path)}`}
      download={file.name}
    >
      Download<span className="hidden"> {file.name}</span>
    </a>
  );
}

function namedFiles({ output, deleted, error }: ExportManifest): NamedFile[] {
  const used = new Map<string, number>();
  const named = (files: readonly ExportedFile[], what: NamedFile['what']): NamedFile[] =>
    files.map((file) => {
      const stem = `${what === 'deletions' ? 'deleted-' : ''}${file.type}.${file.extension.fhirVersion}`;
      const count = (used.get(stem) ?? 0) + 1;
      used.set(stem, count);
      return { ...file, what, name: `${stem}${count === 1 ? '' : `.${count}`}.ndjson` };
    });
  return [...named(output, 'resources'), ...named(deleted, 'deletions'), ...named(error, 'problems')];
}

/** For a POSIX shell, with what every system has. */
function downloadCommand(clientId: string, files: readonly NamedFile[]): string {
  return `while read -r name url; do
  curl -sSf --compressed -H ${quoted(`client_id: ${clientId}`)} \\
    -H "client_secret: $CLIENT_SECRET" -H 'x-service-user-id: client' "$url" -o "$name" || break
done <<'END'
${files.map(({ name, url }) => `${name} ${url}`).join('\n')}
END`;
}

import type { ExportEntry } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { asClient, keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { Copyable } from '../components/copy-button';
import { AsCurl } from '../components/curl';
import { Confirm, Panel } from '../components/dialogs';
import { Notice } from '../components/notice';
import { useToast } from '../components/toasts';
import { sentence, timeText } from '../text';
import { ExportFiles } from './export-files';
import { ExportState, isUnfinished, typesText } from './export-state';
import { exportPath } from './new-export';

interface ExportPanelProps {
  clientId: string;
  /** Undefined: the page of the list does not have it. */
  entry: ExportEntry | undefined;
  close: () => void;
}

/** An export: how far it is, its files, and its end. */
export function ExportPanel({ clientId, entry, close }: ExportPanelProps): ReactNode {
  const tell = useToast();
  const [isDeleting, setDeleting] = useState(false);
  if (!entry)
    return (
      <Panel title="Export" close={close}>
        <p>This page of the list does not have it: it is on another page, was deleted, or its time is over.</p>
      </Panel>
    );
  const path = `${exportPath}-status/${entry.export_id}`;
  const isRunning = isUnfinished(entry);
  return (
    <Panel title={`Export of ${timeText(entry.created_at)}`} close={close}>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <span role="status">
            <ExportState entry={entry} />
          </span>
        </dd>
        <dt>Types</dt>
        <dd>{typesText(entry)}</dd>
        <dt>Changed since</dt>
        <dd>{entry.since === undefined ? 'The beginning' : timeText(entry.since)}</dd>
        <dt>FHIR release</dt>
        <dd>{entry.in_r4 ? 'R4, converted where necessary' : 'As each health system has them'}</dd>
        {entry.filters.length > 0 && (
          <>
            <dt>Limited by</dt>
            <dd>{entry.filters.join(', ')}</dd>
          </>
        )}
        <dt>Expires</dt>
        <dd>{timeText(entry.expires_at)}</dd>
        <dt>export_id</dt>
        <dd>
          <Copyable text={entry.export_id} what="export_id" />
        </dd>
      </dl>
      {entry.error && (
        <Notice kind="bad">
          <p>{sentence(entry.error.message)}</p>
          <code>{entry.error.code}</code>
        </Notice>
      )}
      {isRunning && <p className="muted">You can close this page: the export goes on.</p>}
      {entry.state === 'finished' && <ExportFiles clientId={clientId} entry={entry} />}
      <AsCurl clientId={clientId} api="analytics_url" path={path} />
      <div className="panel-end">
        <button type="button" className="danger" onClick={() => setDeleting(true)}>
          {isRunning ? 'Cancel the export…' : 'Delete…'}
        </button>
      </div>
      {isDeleting && (
        <Confirm
          title={isRunning ? 'Cancel this export?' : 'Delete this export?'}
          action={isRunning ? 'Cancel the export' : 'Delete export'}
          close={() => setDeleting(false)}
          confirm={async () => {
            await call('DELETE', asClient(clientId, 'analytics', path));
            close();
            await refresh(keys.exports(clientId));
            tell(isRunning ? 'The export is cancelled.' : 'The export is deleted.');
          }}
        >
          <p>
            The export of {timeText(entry.created_at)} ends, and its files can no longer be downloaded. The records
            stay. This cannot be undone.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

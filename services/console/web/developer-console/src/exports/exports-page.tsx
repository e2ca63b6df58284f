import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ExportList } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { asClient, keys } from '../api/queries';
import { call } from '../api/request';
import { OfClient, type ClientPageProps } from '../clients/of-client';
import { Answer } from '../components/answer';
import { CodeBlock } from '../components/code-block';
import { AsCurl, curlOf } from '../components/curl';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Pages, pageRows } from '../components/pages';
import { useParameters } from '../components/use-parameters';
import { mayChangeClients } from '../organisations/roles';
import { timeText } from '../text';
import { ExportPanel } from './export-panel';
import { ExportState, isUnfinished, typesText } from './export-state';
import { NewExport, exportPath, respondAsync } from './new-export';

const unfinishedMs = 2000;

/** The asynchronous exports of all users of a client. */
export function ExportsPage(): ReactNode {
  return (
    <OfClient
      title="Exports"
      actions={({ organisation }) =>
        mayChangeClients(organisation.role) && (
          <Link className="button primary" to="?new">
            New export
          </Link>
        )
      }
    >
      {(props) =>
        mayChangeClients(props.organisation.role) ? (
          <Exports {...props} />
        ) : (
          <Empty title="Your role may not see exports">
            <p>Exports have the records of patients. Owners and developers of the organisation see them.</p>
          </Empty>
        )
      }
    </OfClient>
  );
}

function Exports({ client: { client_id: clientId } }: ClientPageProps): ReactNode {
  const [parameters, change] = useParameters();
  const offset = Number(parameters.get('offset') ?? 0);
  const listPath = `${exportPath}-status?offset=${offset}&limit=${pageRows}`;
  const exports = useQuery({
    queryKey: [...keys.exports(clientId), 'list', offset],
    queryFn: () => call<ExportList>('GET', asClient(clientId, 'analytics', listPath)),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.entry.some(isUnfinished) ? unfinishedMs : false),
  });
  const opened = parameters.get('export');
  return (
    <>
      <Answer query={exports} lines={8}>
        {({ total, entry }) =>
          total === 0 ? (
            <Empty title="There is no export">
              <p>
                An export has the records of all users as files of NDJSON, as they were when it began. It is kept for 24
                hours. Your server can start it as well: set CLIENT_SECRET in your shell.
              </p>
              <CodeBlock
                text={curlOf({ clientId, api: 'analytics_url', path: exportPath, headers: respondAsync })}
                what="the command"
              />
              <button type="button" onClick={() => void exports.refetch()}>
                Look again
              </button>
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Exports"
                rows={entry}
                keyOf={({ export_id }) => export_id}
                open={({ export_id }) => change({ export: export_id })}
                columns={[
                  { header: 'Started', cell: ({ created_at }) => timeText(created_at) },
                  { header: 'State', cell: (each) => <ExportState entry={each} /> },
                  { header: 'Types', cell: typesText, isWideOnly: true },
                  { header: 'Expires', cell: ({ expires_at }) => timeText(expires_at), isWideOnly: true },
                ]}
              />
              <Pages
                total={total}
                offset={offset}
                noun="export"
                isReading={exports.isPlaceholderData}
                go={(to) => change({ offset: to === 0 ? undefined : String(to) })}
              />
              <AsCurl clientId={clientId} api="analytics_url" path={listPath} />
            </>
          )
        }
      </Answer>
      {parameters.has('new') && (
        <NewExport
          clientId={clientId}
          close={(started) =>
            change({ new: undefined, ...(started === undefined ? {} : { export: started, offset: undefined }) })
          }
        />
      )}
      {opened !== null && exports.data && !exports.isPlaceholderData && (
        <ExportPanel
          key={opened}
          clientId={clientId}
          entry={exports.data.entry.find(({ export_id }) => export_id === opened)}
          close={() => change({ export: undefined })}
        />
      )}
    </>
  );
}
